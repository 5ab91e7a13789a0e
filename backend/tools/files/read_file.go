package files

import (
	"bufio"
	"cmp"
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
	"math"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/dustin/go-humanize"

	"sextant/backend/toolkit"
	"sextant/backend/tools/files/history"
	"sextant/backend/tools/files/safefs"
	"sextant/backend/tools/files/textfile"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

//go:embed read_file.md
var readFileDoc string

const (
	// maxScanned is in bytes.
	maxScanned   = 64 << 20
	defaultLines = 2000
	maxPaths     = 20
)

const base64Encoding = "base64"

type readFileParams struct {
	Path   string   `json:"path"`
	Paths  []string `json:"paths"`
	Offset int      `json:"offset"`
	// Limit is in lines: 0 means all, nil defaultLines.
	Limit    *int   `json:"limit"`
	Encoding string `json:"encoding"`
}

type fileText struct {
	Path    string `json:"path"`
	Content string `json:"content"`
	// First is the number of the first line in Content. Total is 0 if not all lines were counted.
	First int `json:"first_line"`
	Lines int `json:"lines"`
	Total int `json:"total_lines,omitempty"`
	// Next is the offset to continue with, or 0.
	Next     int    `json:"next_offset,omitempty"`
	Size     int64  `json:"size"`
	Encoding string `json:"encoding"`
	Tokens   int    `json:"tokens"`
	Note     string `json:"note,omitempty"`
	Error    string `json:"error,omitempty"`

	// text is the result as the model reads it.
	text string
}

func readFile() tool {
	return build(
		define("read_file", readFileDoc, `{"type":"object","properties":{`+
			`"path":{"type":"string","description":"The file: in the workspace, or absolute."},`+
			`"paths":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":20,"description":"Several files at once, instead of path."},`+
			`"offset":{"type":"integer","minimum":1,"default":1,"description":"First line to read."},`+
			`"limit":{"type":"integer","minimum":0,"maximum":100000,"default":2000,"description":"Maximum lines, 0 for all."},`+
			`"encoding":{"type":"string","enum":["auto","utf-8","utf-16","latin-1","base64"],"default":"auto","description":"base64 gives the bytes of a file that is not text."}`+
			`},"additionalProperties":false}`,
			toolspec.Hints{ReadOnly: true, Idempotent: true},
			`{"path":"notes.txt"}`, `{"paths":["a.go","b.go"]}`, `{"path":"big.log","offset":2001}`),
		handler[readFileParams]{
			paths: func(_ *Tools, _ toolspec.Call, p readFileParams) ([]pathUse, error) {
				all := p.Paths
				if p.Path != "" {
					all = append([]string{p.Path}, all...)
				}
				if len(all) == 0 || len(all) > maxPaths {
					return nil, toolkit.ValidationError("path is missing",
						`For example {"path":"notes.txt"}, or {"paths":["a.txt","b.txt"]} with at most 20.`)
				}
				var paths []pathUse
				for _, path := range all {
					paths = append(paths, follow(path, toolspec.UseRead)...)
				}
				return paths, nil
			},
			describe: func(_ *Tools, _ readFileParams, at []safefs.Target) toolspec.Description {
				return toolspec.Description{Sentence: "Reading " + shownNames(at)}
			},
			run: runReadFile,
		})
}

func runReadFile(ctx context.Context, t *Tools, r request[readFileParams]) (toolspec.Result, error) {
	single := r.p.Path != "" && len(r.p.Paths) == 0
	var read []fileText
	var texts []string
	budget, failures := t.cfg.MaxRead(), 0
	for _, a := range r.at {
		f, err := t.readOne(ctx, r, a, budget)
		var failed *toolkit.CallError
		switch {
		case errors.As(err, &failed) && !single:
			failures++
			f = fileText{
				Path: a.DisplayPath, Error: failed.Message,
				text: fmt.Sprintf("%s: %s. %s", a.DisplayPath, failed.Message, failed.Suggestion),
			}
		case err != nil:
			return toolspec.Result{}, err
		}
		budget -= len(f.Content)
		read = append(read, f)
		texts = append(texts, f.text)
	}
	var result toolspec.Result
	if single {
		result = toolspec.OK(read[0])
	} else {
		result = toolspec.OK(map[string]any{"files": read})
	}
	result.Text = strings.Join(texts, "\n")
	result.Sentence = "Read " + shownNames(r.at)
	if failures > 0 {
		result.Sentence += fmt.Sprintf("; %d of them could not be read", failures)
	}
	result.Preview = excerpt.FirstLines(read[0].Content, 3, 120)
	return result, nil
}

func (t *Tools) readOne(
	ctx context.Context, r request[readFileParams], a safefs.Target, budget int,
) (fileText, error) {
	f, info, err := t.fs.OpenFile(a)
	if err != nil {
		return fileText{}, err
	}
	defer func() { _ = f.Close() }()
	if budget <= 0 {
		return fileText{}, toolkit.UserError("the files before it used up what one call may read",
			"Call read_file for it alone.")
	}
	// remember needs the hash of the whole file.
	sum := sha256.New()
	source := io.TeeReader(toolkit.ContextReader(ctx, f), sum)
	var out fileText
	switch r.p.Encoding {
	case base64Encoding:
		out, err = readBytes(source, a, info, budget)
	case "auto":
		out, err = readLines(source, "", r.p, a, info, budget)
	default:
		out, err = readLines(source, r.p.Encoding, r.p, a, info, budget)
	}
	if err != nil {
		return fileText{}, err
	}
	return out, t.remember(r.call, a, f, info, source, sum)
}

// remember marks the content as known, unless the file changed while it was read. If maxScanned bytes or more were left
// to read, it records no hash.
func (t *Tools) remember(
	call toolspec.Call, a safefs.Target, f *os.File, info fs.FileInfo, rest io.Reader, sum hash.Hash,
) error {
	stamp := history.Stamp{Size: info.Size(), Modified: info.ModTime()}
	n, err := io.Copy(io.Discard, io.LimitReader(rest, maxScanned))
	if err != nil {
		return fmt.Errorf("reading %s: %w", a.DisplayPath, err)
	}
	if n < maxScanned {
		stamp.Hash = hex.EncodeToString(sum.Sum(nil))
	}
	if now, err := f.Stat(); err != nil || now.Size() != stamp.Size || !now.ModTime().Equal(stamp.Modified) {
		return nil // the file changed while it was read, so its content is not known
	}
	t.history.MarkKnown(call, a, stamp)
	return nil
}

func readBytes(r io.Reader, a safefs.Target, info fs.FileInfo, budget int) (fileText, error) {
	// Four characters of base64 encode three bytes.
	b, err := io.ReadAll(io.LimitReader(r, int64(budget/4*3)))
	if err != nil {
		return fileText{}, fmt.Errorf("reading %s: %w", a.DisplayPath, err)
	}
	out := fileText{
		Path: a.DisplayPath, Content: base64.StdEncoding.EncodeToString(b), Size: info.Size(), Encoding: base64Encoding,
	}
	size := humanize.Bytes(uint64(len(b)))
	if int64(len(b)) < info.Size() {
		out.Note = "only the first " + size
	}
	out.Tokens = estimateTokens(out.Content)
	out.text = fmt.Sprintf("%s: %s as base64%s\n%s\n", a.DisplayPath, size, inParentheses(out.Note), out.Content)
	return out, nil
}

type page struct {
	offset, limit, budget int

	raw      strings.Builder
	numbered strings.Builder
	// line is the number of the current line, count the number of lines on the page.
	line, count int
	// inLine is true while a line of the page is read, full once a piece did not fit, cut if a line is shortened.
	inLine, full, cut bool
}

// add adds a piece of the current line. ends is true for the last piece.
func (p *page) add(piece []byte, ends bool) {
	wanted := !p.full && (p.inLine || p.line >= p.offset && p.count < p.limit)
	if wanted && len(piece) > 0 {
		if space := p.budget - p.raw.Len(); len(piece) > space {
			// The first line of the page and a line that has begun are cut. Another line is left for the next page.
			p.full = true
			if p.count > 0 && !p.inLine {
				return
			}
			piece, p.cut = piece[:excerpt.PrefixLen(piece, space)], true
		}
		if !p.inLine {
			fmt.Fprintf(&p.numbered, "%6d\t", p.line)
			p.count++
			p.inLine = true
		}
		p.raw.Write(piece)
		p.numbered.WriteString(strings.TrimRight(string(piece), "\r\n"))
	}
	if ends {
		if p.inLine {
			p.numbered.WriteByte('\n')
		}
		p.inLine = false
		p.line++
	}
}

func readLines(
	r io.Reader, encoding string, params readFileParams, a safefs.Target, info fs.FileInfo, budget int,
) (fileText, error) {
	text, format, err := textfile.NewReader(r, encoding, a.DisplayPath, info.Size())
	if err != nil {
		return fileText{}, err
	}
	p := page{offset: max(params.Offset, 1), limit: defaultLines, budget: budget, line: 1}
	if params.Limit != nil {
		p.limit = cmp.Or(*params.Limit, math.MaxInt)
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
			return fileText{}, fmt.Errorf("reading %s: %w", a.DisplayPath, err)
		}
	}
	if pending {
		p.add(nil, true)
	}
	return p.result(a, format, info.Size(), ended)
}

func (p *page) result(a safefs.Target, format textfile.Format, size int64, counted bool) (fileText, error) {
	total := p.line - 1
	if p.offset > 1 && p.offset > total && counted {
		return fileText{}, toolkit.UserError(fmt.Sprintf("%s has only %d lines", a.DisplayPath, total),
			fmt.Sprintf("Send an offset of at most %d.", max(total, 1)))
	}
	out := fileText{Path: a.DisplayPath, First: p.offset, Lines: p.count, Size: size, Encoding: format.String()}
	raw := p.raw.String()
	out.Content = strings.ToValidUTF8(raw, "\uFFFD")
	last := p.offset + p.count - 1
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
		most := humanize.IBytes(uint64(p.budget))
		notes = append(notes, fmt.Sprintf("line %d is cut: one call returns %s", last, most))
	}
	if out.Content != raw {
		notes = append(notes, "bytes that are not UTF-8 are shown as \uFFFD")
	}
	if format.Encoding != textfile.UTF8 || format.BOM {
		notes = append(notes, "the file is "+format.String())
	}
	if out.Next > 0 {
		notes = append(notes, fmt.Sprintf("continue with offset %d", out.Next))
	}
	out.Note = strings.Join(notes, "; ")
	body := strings.ToValidUTF8(p.numbered.String(), "\uFFFD")
	out.Tokens = estimateTokens(body)
	if p.count == 0 {
		out.text = a.DisplayPath + " is empty" + inParentheses(out.Note) + "\n"
		return out, nil
	}
	out.text = fmt.Sprintf("%s: lines %d-%d%s, about %d tokens%s\n%s",
		a.DisplayPath, p.offset, last, of, out.Tokens, inParentheses(out.Note), body)
	return out, nil
}

func estimateTokens(s string) int {
	ascii, other := 0, 0
	for _, r := range s {
		if r < utf8.RuneSelf {
			ascii++
		} else {
			other++
		}
	}
	return (ascii+3)/4 + other
}
