package files

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"io"
	"strings"

	"github.com/dustin/go-humanize/english"

	"sextant/backend/toolkit"
	"sextant/backend/tools/files/history"
	"sextant/backend/tools/files/safefs"
	"sextant/backend/tools/files/textfile"
	"sextant/shared/excerpt"
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
			`"old":{"type":"string","minLength":1,"description":"Text of the file, exactly, without line numbers."},`+
			`"new":{"type":"string","description":"What replaces it."},`+
			`"all":{"type":"boolean","default":false,"description":"Replace every occurrence, not only one."}`+
			`},"required":["path","old","new"],"additionalProperties":false}`,
			toolspec.Hints{Destructive: true}, `{"path":"notes.txt","old":"Call Ana.","new":"Call Ana and Bo."}`,
			`{"path":"src/main.go","old":"lampPrice","new":"price","all":true}`,
			`{"path":"notes.txt","old":"Buy tea.\n","new":""}`),
		handler[editFileParams]{
			paths: func(_ *Tools, _ toolspec.Call, p editFileParams) ([]pathUse, error) {
				return follow(p.Path, toolspec.UseWrite), nil
			},
			describe: func(t *Tools, p editFileParams, at []safefs.Target) toolspec.Description {
				d := toolspec.Description{Sentence: "Editing " + shownNames(at), Data: p.diff()}
				return t.describeChange(d, at[0], "new", func(before []byte) ([]byte, error) {
					after, _, err := p.apply(at[0], before)
					return after, err
				})
			},
			run: runEditFile,
		})
}

func (p editFileParams) diff() string {
	var b strings.Builder
	for _, side := range []struct{ sign, text string }{{"- ", p.Old}, {"+ ", p.New}} {
		for line := range strings.Lines(side.text) {
			b.WriteString(side.sign + strings.TrimRight(line, "\r\n") + "\n")
		}
	}
	return b.String()
}

func runEditFile(ctx context.Context, t *Tools, r request[editFileParams]) (toolspec.Result, error) {
	a := r.at[0]
	if r.p.Old == r.p.New {
		return toolspec.Result{}, toolkit.ValidationError("old and new are the same", "Send the replacement in new.")
	}
	var before, after []byte
	var lines []int
	_, err := t.history.Change(ctx, r.call, a, func(now history.State) (history.Edit, error) {
		if !now.Exists {
			return history.Edit{}, toolkit.UserError("there is no "+a.DisplayPath,
				t.fs.SuggestNearest(a)+" To create it, call write_file.")
		}
		if err := t.history.RequireUnchanged(r.call, a, now); err != nil {
			return history.Edit{}, err
		}
		var err error
		before = now.Content
		after, lines, err = r.p.apply(a, now.Content)
		return history.Edit{Content: after}, err
	})
	if err != nil {
		return toolspec.Result{}, err
	}
	d := history.Compare(a.DisplayPath, before, after)
	count := english.Plural(len(lines), "occurrence", "")
	result := toolspec.OK(written{
		Path: a.DisplayPath, Lines: textfile.CountLines(string(after)), Size: len(after),
		Added: d.Added, Removed: d.Removed, Replaced: len(lines),
	})
	result.Sentence = fmt.Sprintf("Edited %s: %s replaced", shownNames(r.at), count)
	result.Text = fmt.Sprintf("Edited %s: %s replaced, at line %s.\n%s",
		a.DisplayPath, count, joinLines(lines), excerpt.TruncateBytes(d.Text, 4000))
	result.Preview = d.Preview()
	result.Changed = []string{a.Real}
	return result, nil
}

func (p editFileParams) apply(a safefs.Target, content []byte) ([]byte, []int, error) {
	reader, format, err := textfile.NewReader(bytes.NewReader(content), "", a.DisplayPath, int64(len(content)))
	if err != nil {
		return nil, nil, err
	}
	decoded, err := io.ReadAll(reader)
	if err != nil {
		return nil, nil, fmt.Errorf("reading %s: %w", a.DisplayPath, err)
	}
	if same, err := format.Encode(string(decoded)); err != nil || !bytes.Equal(same, content) {
		return nil, nil, toolkit.UserError(
			fmt.Sprintf("%s is damaged %s, and an edit would lose bytes of it", a.DisplayPath, format),
			"Repair it with a program, or write the whole file.")
	}
	text, old, replacement := string(decoded), p.Old, p.New
	if ends := strings.Count(text, "\r\n"); ends > 0 && ends == strings.Count(text, "\n") {
		// Copied text does not show whether the file ends its lines with CRLF.
		old, replacement = withCRLF(old), withCRLF(replacement)
	}
	at := linesOf(text, old)
	switch {
	case len(at) == 0:
		return nil, nil, notFound(a, text, p.Old)
	case len(at) > 1 && !p.All:
		return nil, nil, toolkit.UserError(
			fmt.Sprintf("old occurs %d times in %s, at line %s; nothing was changed", len(at), a.DisplayPath,
				joinLines(at)),
			`Send more of the lines around the one you mean, or "all": true for every occurrence.`)
	}
	encoded, err := format.Encode(strings.ReplaceAll(text, old, replacement))
	if err != nil {
		return nil, nil, toolkit.UserError(fmt.Sprintf("%s is %s, which has no code for a character of new",
			a.DisplayPath,
			format),
			"Send other characters.")
	}
	return encoded, at, nil
}

func withCRLF(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n")
}

func linesOf(text, old string) []int {
	var lines []int
	line := 1
	for {
		before, after, found := strings.Cut(text, old)
		if !found {
			return lines
		}
		line += strings.Count(before, "\n")
		lines = append(lines, line)
		line += strings.Count(old, "\n")
		text = after
	}
}

func joinLines(lines []int) string {
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

func notFound(a safefs.Target, text, old string) error {
	message := "old does not occur in " + a.DisplayPath + "; nothing was changed"
	suggestion := "Call read_file and send the text exactly as it is there, without line numbers."
	wanted := ""
	for line := range strings.Lines(old) {
		if wanted = strings.TrimSpace(line); wanted != "" {
			break
		}
	}
	if n, line := nearestLine(text, wanted); n > 0 {
		message += fmt.Sprintf(". The line most like its first is line %d: %s", n,
			excerpt.TruncateBytes(strings.TrimRight(line, "\r\n"), 200))
		if strings.TrimSpace(line) == wanted {
			suggestion = "It differs in spaces, or in the lines after it. Send the text exactly as read_file shows it."
		}
	}
	return toolkit.UserError(message, suggestion)
}

func nearestLine(text, wanted string) (n int, nearest string) {
	const mostLines = 20_000
	best, at := 0.5, 0
	pairs := bigrams(wanted)
	for line := range strings.Lines(text) {
		if at++; at > mostLines {
			break
		}
		trimmed := strings.TrimSpace(line)
		if trimmed == wanted && wanted != "" {
			return at, line
		}
		if alike := dice(pairs, bigrams(excerpt.TruncateBytes(trimmed, 400))); alike > best {
			best, n, nearest = alike, at, line
		}
	}
	return n, nearest
}

func bigrams(s string) map[[2]byte]int {
	pairs := map[[2]byte]int{}
	for i := 1; i < len(s); i++ {
		pairs[[2]byte{s[i-1], s[i]}]++
	}
	return pairs
}

// dice returns the Sørensen–Dice coefficient of two bags of bigrams.
func dice(a, b map[[2]byte]int) float64 {
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
