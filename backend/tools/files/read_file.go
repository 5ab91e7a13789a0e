package files

import (
	"bufio"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"strings"

	"sextant/shared/clip"
	"sextant/shared/toolspec"
)

//go:embed read_file.md
var readFileDoc string

// Bounds of reading. maxScanned is how much of a file is read to count its lines.
const (
	maxRead      = 1 << 20
	maxScanned   = 64 << 20
	defaultLines = 2000
	maxPaths     = 20
)

type readFileParams struct {
	Path     string   `json:"path"`
	Paths    []string `json:"paths"`
	Offset   int      `json:"offset"`
	Limit    int      `json:"limit"`
	Encoding string   `json:"encoding"`
}

// fileText is the result of read_file for one file.
type fileText struct {
	Path    string `json:"path"`
	Content string `json:"content"`
	// First and Lines say which lines Content holds; Total is 0 when they were not all counted.
	First int `json:"first_line"`
	Lines int `json:"lines"`
	Total int `json:"total_lines,omitempty"`
	// Next is the offset that goes on after Content, 0 at the end.
	Next     int    `json:"next_offset,omitempty"`
	Size     int64  `json:"size"`
	Encoding string `json:"encoding"`
	Tokens   int    `json:"tokens"`
	Note     string `json:"note,omitempty"`
	Error    string `json:"error,omitempty"`

	text string
}

func readFile() tool {
	return build(
		define("read_file", readFileDoc, `{"type":"object","properties":{`+
			`"path":{"type":"string","description":"The file: in the workspace, or absolute."},`+
			`"paths":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":20,"description":"Several files at once, instead of path."},`+
			`"offset":{"type":"integer","minimum":1,"default":1,"description":"First line to read."},`+
			`"limit":{"type":"integer","minimum":1,"maximum":100000,"default":2000,"description":"Lines to read at most."},`+
			`"encoding":{"type":"string","enum":["auto","utf-8","utf-16","latin-1","base64"],"default":"auto","description":"base64 gives the bytes of a file that is no text."}`+
			`},"additionalProperties":false}`,
			toolspec.Hints{ReadOnly: true, Idempotent: true}, `{"path":"notes.txt"}`, `{"paths":["a.go","b.go"]}`, `{"path":"big.log","offset":2001}`),
		parts[readFileParams]{
			uses: func(_ *Tools, _ toolspec.Call, p readFileParams) ([]use, error) {
				all := p.Paths
				if p.Path != "" {
					all = append([]string{p.Path}, all...)
				}
				if len(all) == 0 || len(all) > maxPaths {
					return nil, &fault{toolspec.ValidationError, "path is missing", `For example {"path":"notes.txt"}, or {"paths":["a.txt","b.txt"]} with at most 20.`}
				}
				uses := make([]use, len(all))
				for i, path := range all {
					uses[i] = use{path: path, use: toolspec.UseRead}
				}
				return uses, nil
			},
			say: func(_ *Tools, _ readFileParams, at []target) toolspec.Description {
				return toolspec.Description{Present: "Reading " + called(at)}
			},
			run: runReadFile,
		})
}

// called names targets within a sentence: the one, or how many.
func called(at []target) string {
	if len(at) == 1 {
		return clip.Bytes(at[0].shown, 80)
	}
	return counted(len(at), "file")
}

func runReadFile(ctx context.Context, t *Tools, j job[readFileParams]) (toolspec.Result, error) {
	single := j.p.Path != "" && len(j.p.Paths) == 0
	var read []fileText
	var texts []string
	budget, failed := maxRead, 0
	for _, a := range j.at {
		f, err := t.readOne(ctx, j, a, budget)
		var bad *fault
		switch {
		case errors.As(err, &bad) && !single:
			failed++
			f = fileText{Path: a.shown, Error: bad.message, text: fmt.Sprintf("%s: %s. %s", a.shown, bad.message, bad.suggestion)}
		case err != nil:
			return toolspec.Result{}, err
		}
		budget -= len(f.Content)
		read = append(read, f)
		texts = append(texts, f.text)
	}
	var r toolspec.Result
	if single {
		r = toolspec.OK(read[0])
	} else {
		r = toolspec.OK(map[string]any{"files": read})
	}
	r.Text = strings.Join(texts, "\n")
	r.Sentence = "Read " + called(j.at)
	if failed > 0 {
		r.Sentence += fmt.Sprintf("; %d of them could not be read", failed)
	}
	r.Preview = previewOf(read[0].Content)
	return r, nil
}

// previewOf are the first lines of a text for a card.
func previewOf(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if len(lines) == 3 {
			break
		}
		lines = append(lines, clip.Bytes(strings.ToValidUTF8(strings.TrimRight(line, "\r\n"), "\uFFFD"), 120))
	}
	return lines
}

func (t *Tools) readOne(ctx context.Context, j job[readFileParams], a target, budget int) (fileText, error) {
	f, info, err := t.openFile(a)
	if err != nil {
		return fileText{}, err
	}
	defer func() { _ = f.Close() }()
	if budget <= 0 {
		return fileText{}, &fault{toolspec.UserError, "the files before it took all of the 1 MB of one call", "Call read_file for it alone."}
	}
	// What is read is what the conversation knows of the file from now on.
	sum := sha256.New()
	source := io.TeeReader(obeying{ctx, f}, sum)
	var out fileText
	if j.p.Encoding == base64Text {
		out, err = readBytes(source, a, info, budget)
	} else {
		wanted := j.p.Encoding
		if wanted == "auto" {
			wanted = ""
		}
		out, err = readLines(source, wanted, j.p, a, info, budget)
	}
	if err != nil {
		return fileText{}, err
	}
	return out, t.remember(j.call, a, f, info, source, sum)
}

// remember reads a file to its end and keeps what the conversation has seen of it.
func (t *Tools) remember(call toolspec.Call, a target, f fs.File, info fs.FileInfo, rest io.Reader, sum hash.Hash) error {
	stamp := stamp{size: info.Size(), modified: info.ModTime()}
	n, err := io.Copy(io.Discard, io.LimitReader(rest, maxScanned))
	if err != nil {
		return fmt.Errorf("reading %s: %w", a.shown, err)
	}
	if n < maxScanned {
		stamp.hash = hex.EncodeToString(sum.Sum(nil))
	}
	if now, err := f.Stat(); err != nil || now.Size() != stamp.size || !now.ModTime().Equal(stamp.modified) {
		return nil // it was written to while it was read, so what was seen is not the file
	}
	t.seen.saw(owner(call), a.real, stamp)
	return nil
}

func readBytes(r io.Reader, a target, info fs.FileInfo, budget int) (fileText, error) {
	// Four characters hold three bytes.
	b, err := io.ReadAll(io.LimitReader(r, int64(budget/4*3)))
	if err != nil {
		return fileText{}, fmt.Errorf("reading %s: %w", a.shown, err)
	}
	out := fileText{Path: a.shown, Content: base64.StdEncoding.EncodeToString(b), Size: info.Size(), Encoding: base64Text}
	if int64(len(b)) < info.Size() {
		out.Note = fmt.Sprintf("only the first %s", sized(int64(len(b))))
	}
	out.Tokens = tokensOf(out.Content)
	out.text = fmt.Sprintf("%s: %s as base64%s\n%s\n", a.shown, sized(int64(len(b))), inBrackets(out.Note), out.Content)
	return out, nil
}

// page gathers the lines of a file from offset on.
type page struct {
	offset, limit, budget int

	raw      strings.Builder
	numbered strings.Builder
	// line is the number of the line being read; taken are those in the page.
	line, taken int
	begun       bool
	full, cut   bool
}

// add takes a piece of the current line; ends says that the line ends with it.
func (p *page) add(piece []byte, ends bool) {
	in := !p.full && (p.begun || p.line >= p.offset && p.taken < p.limit)
	if in && len(piece) > 0 {
		if room := p.budget - p.raw.Len(); len(piece) > room {
			// A line that does not fit is left to the next page, unless it fits on none.
			p.full = true
			if p.taken > 0 && !p.begun {
				return
			}
			piece, p.cut = wholeRunes(piece[:room], false), true
		}
		if !p.begun {
			fmt.Fprintf(&p.numbered, "%6d\t", p.line)
			p.taken++
			p.begun = true
		}
		p.raw.Write(piece)
		p.numbered.WriteString(strings.TrimRight(string(piece), "\r\n"))
	}
	if ends {
		if p.begun {
			p.numbered.WriteByte('\n')
		}
		p.begun = false
		p.line++
	}
}

func readLines(r io.Reader, wanted string, params readFileParams, a target, info fs.FileInfo, budget int) (fileText, error) {
	text, form, err := textOf(r, wanted, a, info.Size())
	if err != nil {
		return fileText{}, err
	}
	p := page{offset: max(params.Offset, 1), limit: params.Limit, budget: budget, line: 1}
	if p.limit <= 0 {
		p.limit = defaultLines
	}
	lines := bufio.NewReaderSize(text, 64<<10)
	scanned, pending, ended := 0, false, false
	for scanned < maxScanned {
		piece, err := lines.ReadSlice('\n')
		scanned += len(piece)
		if len(piece) > 0 {
			pending = err != nil
			p.add(piece, err == nil)
		}
		if errors.Is(err, io.EOF) {
			ended = true
			break
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return fileText{}, fmt.Errorf("reading %s: %w", a.shown, err)
		}
	}
	if pending {
		p.add(nil, true)
	}
	return p.result(a, form, info.Size(), ended)
}

func (p *page) result(a target, form form, size int64, counted bool) (fileText, error) {
	total := p.line - 1
	if p.offset > 1 && p.offset > total && counted {
		return fileText{}, &fault{toolspec.UserError, fmt.Sprintf("%s has only %d lines", a.shown, total), fmt.Sprintf("Send an offset of at most %d.", max(total, 1))}
	}
	out := fileText{Path: a.shown, First: p.offset, Lines: p.taken, Size: size, Encoding: form.String()}
	raw := p.raw.String()
	out.Content = strings.ToValidUTF8(raw, "\uFFFD")
	last := p.offset + p.taken - 1
	of := ""
	if counted {
		out.Total = total
		of = fmt.Sprintf(" of %d", total)
	}
	if last < total || !counted {
		out.Next = last + 1
	}
	var notes []string
	if p.cut {
		notes = append(notes, fmt.Sprintf("line %d is cut: it is longer than 1 MB", last))
	}
	if out.Content != raw {
		notes = append(notes, "some bytes are no UTF-8 and shown as \uFFFD")
	}
	if form.encoding != utf8Text || form.bom {
		notes = append(notes, "the file is "+form.String())
	}
	if out.Next > 0 {
		notes = append(notes, fmt.Sprintf("go on with offset %d", out.Next))
	}
	out.Note = strings.Join(notes, "; ")
	body := strings.ToValidUTF8(p.numbered.String(), "\uFFFD")
	out.Tokens = tokensOf(body)
	if p.taken == 0 {
		out.text = a.shown + " is empty" + inBrackets(out.Note) + "\n"
		return out, nil
	}
	out.text = fmt.Sprintf("%s: lines %d-%d%s, about %d tokens%s\n%s", a.shown, p.offset, last, of, out.Tokens, inBrackets(out.Note), body)
	return out, nil
}

func inBrackets(note string) string {
	if note == "" {
		return ""
	}
	return " (" + note + ")"
}
