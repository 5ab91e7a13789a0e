package files

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"sextant/backend/tools/files/history"
	"sextant/backend/tools/files/safefs"
	"sextant/backend/tools/files/textfile"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

//go:embed write_file.md
var writeFileDoc string

type writeFileParams struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

type written struct {
	Path string `json:"path"`
	// Made is true for a new file.
	Made     bool `json:"made"`
	Lines    int  `json:"lines"`
	Size     int  `json:"size"`
	Added    int  `json:"added"`
	Removed  int  `json:"removed"`
	Replaced int  `json:"replaced,omitempty"`
}

func writeFile() tool {
	return build(
		define("write_file", writeFileDoc, `{"type":"object","properties":{`+
			`"path":{"type":"string","description":"In the workspace, or absolute. Missing folders are created."},`+
			`"content":{"type":"string","description":"The whole content of the file."}`+
			`},"required":["path","content"],"additionalProperties":false}`,
			toolspec.Hints{Destructive: true, Idempotent: true}, `{"path":"notes.txt","content":"Call Ana.\n"}`,
			`{"path":"docs/lamps/README.md","content":"# Lamps\n\nFen and Moor, with prices.\n"}`,
			`{"path":"lamps.json","content":"[{\"name\": \"Fen\", \"price\": 80}]\n"}`),
		handler[writeFileParams]{
			paths: func(_ *Tools, _ toolspec.Call, p writeFileParams) ([]pathUse, error) {
				return follow(p.Path, toolspec.UseWrite), nil
			},
			describe: func(t *Tools, p writeFileParams, at []safefs.Target) toolspec.Description {
				d := toolspec.Description{Sentence: "Writing " + t.linesTo(p.Content, at), Data: p.Content}
				return t.describeChange(d, at[0], "content",
					func([]byte) ([]byte, error) { return []byte(p.Content), nil })
			},
			run: runWriteFile,
		})
}

func (t *Tools) linesTo(content string, at []safefs.Target) string {
	newFile := ""
	if _, err := t.fs.Lstat(at[0]); errors.Is(err, fs.ErrNotExist) {
		newFile = "the new file "
	}
	return fmt.Sprintf("%s to %s%s", lineCount(content), newFile, shownNames(at))
}

func lineCount(content string) string {
	return english.Plural(textfile.CountLines(content), "line", "")
}

func runWriteFile(ctx context.Context, t *Tools, r request[writeFileParams]) (toolspec.Result, error) {
	a, content := r.at[0], []byte(r.p.Content)
	var before history.State
	changed, err := t.history.Change(ctx, r.call, a, func(now history.State) (history.Edit, error) {
		before = now
		if now.Exists && string(now.Content) == r.p.Content {
			return history.Edit{Content: now.Content}, nil
		}
		return history.Edit{Content: content}, t.history.RequireKnown(r.call, a, now)
	})
	if err != nil {
		return toolspec.Result{}, err
	}
	v := written{Path: a.DisplayPath, Lines: textfile.CountLines(r.p.Content), Size: len(content)}
	if !changed {
		result := toolspec.OK(v)
		result.Text, result.Sentence = a.DisplayPath+" holds exactly that already.",
			shownNames(r.at)+" holds exactly that already"
		return result, nil
	}
	result, verb := v.result(a, before, content, r.p.Content), "Replaced"
	if !before.Exists {
		verb = "Created"
	}
	result.Sentence = fmt.Sprintf("Wrote %s to %s", lineCount(r.p.Content), shownNames(r.at))
	result.Text = fmt.Sprintf("%s %s: %s, %s.", verb, a.DisplayPath, lineCount(r.p.Content),
		humanize.Bytes(uint64(len(content))))
	return result, nil
}

func (w written) result(a safefs.Target, before history.State, content []byte, text string) toolspec.Result {
	d := history.Compare(a.DisplayPath, before.Content, content)
	w.Made, w.Added, w.Removed = !before.Exists, d.Added, d.Removed
	r := toolspec.OK(w)
	r.Preview = excerpt.FirstLines(text, 3, 120)
	if before.Exists {
		r.Preview = d.Preview()
	}
	r.Changed = []string{a.Real}
	return r
}
