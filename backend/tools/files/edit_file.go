package files

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"io"
	"strings"

	"sextant/shared/clip"
	"sextant/shared/toolspec"
)

//go:embed edit_file.md
var editFileDoc string

type editFileParams struct {
	Path string `json:"path"`
	Old  string `json:"old"`
	New  string `json:"new"`
	All  bool   `json:"all"`
}

func editFile() tool {
	return build(
		define("edit_file", editFileDoc, `{"type":"object","properties":{`+
			`"path":{"type":"string","description":"In the workspace, or absolute."},`+
			`"old":{"type":"string","minLength":1,"description":"Text of the file, exactly as it stands there, without line numbers."},`+
			`"new":{"type":"string","description":"What is to stand there instead."},`+
			`"all":{"type":"boolean","default":false,"description":"Replace every place, not the only one."}`+
			`},"required":["path","old","new"],"additionalProperties":false}`,
			toolspec.Hints{Destructive: true}, `{"path":"notes.txt","old":"Call Ana.","new":"Call Ana and Bo."}`),
		parts[editFileParams]{
			uses: func(_ *Tools, _ toolspec.Call, p editFileParams) ([]use, error) {
				return []use{{path: p.Path, use: toolspec.UseWrite}}, nil
			},
			say: func(_ *Tools, p editFileParams, at []target) toolspec.Description {
				return toolspec.Description{Present: "Editing " + called(at), Data: oldNew(p)}
			},
			run: runEditFile,
		})
}

// oldNew shows an edit by its arguments alone.
func oldNew(p editFileParams) string {
	var b strings.Builder
	for _, side := range []struct{ sign, text string }{{"- ", p.Old}, {"+ ", p.New}} {
		for line := range strings.Lines(side.text) {
			b.WriteString(side.sign + strings.TrimRight(line, "\r\n") + "\n")
		}
	}
	return b.String()
}

func runEditFile(ctx context.Context, t *Tools, j job[editFileParams]) (toolspec.Result, error) {
	a := j.at[0]
	if j.p.Old == j.p.New {
		return toolspec.Result{}, &fault{toolspec.ValidationError, "old and new are the same", "Send in new what is to stand there instead."}
	}
	var before, after []byte
	var places []int
	_, err := t.change(ctx, j.call, a, func(now current) (next, error) {
		if !now.exists {
			return next{}, &fault{toolspec.UserError, "there is no " + a.shown, t.near(a) + " To make it, call write_file."}
		}
		if known, ok := t.seen.known(owner(j.call), a.real); ok {
			if err := changedSince(a, now, known); err != nil {
				return next{}, err
			}
		}
		var err error
		before = now.content
		after, places, err = edited(a, now.content, j.p)
		return next{content: after}, err
	})
	if err != nil {
		return toolspec.Result{}, err
	}
	d := diffOf(a.shown, before, after)
	r := toolspec.OK(written{a.shown, false, lineCount(string(after)), len(after), d.added, d.removed, len(places)})
	r.Sentence = fmt.Sprintf("Edited %s: %s replaced", called(j.at), counted(len(places), "place"))
	r.Text = fmt.Sprintf("Edited %s: %s replaced, at line %s.\n%s", a.shown, counted(len(places), "place"), lineList(places), clip.Bytes(d.text, 4000))
	r.Preview = d.preview()
	r.Changed = []string{a.real}
	return r, nil
}

// edited is the content of a file after an edit, in its own form, and the lines it was made at.
func edited(a target, content []byte, p editFileParams) ([]byte, []int, error) {
	reader, form, err := textOf(bytes.NewReader(content), "", a, int64(len(content)))
	if err != nil {
		return nil, nil, err
	}
	decoded, err := io.ReadAll(reader)
	if err != nil {
		return nil, nil, fmt.Errorf("reading %s: %w", a.shown, err)
	}
	text, old, replacement := string(decoded), p.Old, p.New
	if ends := strings.Count(text, "\r\n"); ends > 0 && ends == strings.Count(text, "\n") {
		// The line ends of a file are its own; nobody sees which ones they copied.
		old, replacement = withCRLF(old), withCRLF(replacement)
	}
	at := placesOf(text, old)
	switch {
	case len(at) == 0:
		return nil, nil, notFound(a, text, p.Old)
	case len(at) > 1 && !p.All:
		return nil, nil, &fault{
			toolspec.UserError, fmt.Sprintf("old stands %d times in %s, at line %s; nothing was changed", len(at), a.shown, lineList(at)),
			`Send more of the lines around the one you mean, or "all": true for every place.`,
		}
	}
	encoded, err := form.encode(strings.ReplaceAll(text, old, replacement))
	if err != nil {
		return nil, nil, &fault{toolspec.UserError, fmt.Sprintf("%s is %s, which cannot hold what new says", a.shown, form), "Send other characters."}
	}
	return encoded, at, nil
}

func withCRLF(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n")
}

// placesOf are the lines at which old begins in text, not overlapping.
func placesOf(text, old string) []int {
	var lines []int
	line := 1
	for {
		i := strings.Index(text, old)
		if i < 0 {
			return lines
		}
		line += strings.Count(text[:i], "\n")
		lines = append(lines, line)
		line += strings.Count(old, "\n")
		text = text[i+len(old):]
	}
}

func lineList(lines []int) string {
	const most = 10
	var parts []string
	for i, n := range lines {
		if i == most {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, fmt.Sprint(n))
	}
	return strings.Join(parts, ", ")
}

// notFound tells where the text of the file comes nearest to what was sent.
func notFound(a target, text, old string) error {
	f := &fault{toolspec.UserError, "old does not stand in " + a.shown + "; nothing was changed", "Call read_file and send the text exactly as it stands there, without line numbers."}
	wanted := ""
	for line := range strings.Lines(old) {
		if wanted = strings.TrimSpace(line); wanted != "" {
			break
		}
	}
	n, line := nearestLine(text, wanted)
	if n == 0 {
		return f
	}
	f.message += fmt.Sprintf(". The nearest to its first line is line %d: %s", n, clip.Bytes(strings.TrimRight(line, "\r\n"), 200))
	if strings.TrimSpace(line) == wanted {
		f.suggestion = "It differs in spaces, or in the lines after it. Send the text exactly as read_file shows it."
	}
	return f
}

// nearestLine is the line of text that is most like wanted, 0 when none is half alike.
func nearestLine(text, wanted string) (n int, nearest string) {
	const mostLines = 20_000
	best, at := 0.5, 0
	pairs := pairsOf(wanted)
	for line := range strings.Lines(text) {
		if at++; at > mostLines {
			break
		}
		trimmed := strings.TrimSpace(line)
		if trimmed == wanted && wanted != "" {
			return at, line
		}
		if alike := likeness(pairs, pairsOf(clip.Bytes(trimmed, 400))); alike > best {
			best, n, nearest = alike, at, line
		}
	}
	return n, nearest
}

// pairsOf counts the pairs of neighbouring bytes in s.
func pairsOf(s string) map[[2]byte]int {
	pairs := map[[2]byte]int{}
	for i := 1; i < len(s); i++ {
		pairs[[2]byte{s[i-1], s[i]}]++
	}
	return pairs
}

// likeness is the Dice coefficient of two bags of pairs: 1 for the same, 0 for none in common.
func likeness(a, b map[[2]byte]int) float64 {
	common, total := 0, 0
	for pair, n := range a {
		common += min(n, b[pair])
		total += n
	}
	for _, n := range b {
		total += n
	}
	if total == 0 {
		return 0
	}
	return 2 * float64(common) / float64(total)
}
