package files

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"

	"sextant/shared/toolspec"
)

//go:embed write_file.md
var writeFileDoc string

type writeFileParams struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

// written is the result of write_file and edit_file.
type written struct {
	Path string `json:"path"`
	// Made is true for a file that was not there before.
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
			`"path":{"type":"string","description":"In the workspace, or absolute. Missing folders are made."},`+
			`"content":{"type":"string","description":"All that the file is to hold."}},"required":["path","content"],"additionalProperties":false}`,
			toolspec.Hints{Destructive: true, Idempotent: true}, `{"path":"notes.txt","content":"Call Ana.\n"}`),
		parts[writeFileParams]{
			uses: func(_ *Tools, _ toolspec.Call, p writeFileParams) ([]use, error) {
				return []use{{path: p.Path, use: toolspec.UseWrite}}, nil
			},
			say: func(t *Tools, p writeFileParams, at []target) toolspec.Description {
				over := ""
				if _, err := t.look(at[0]); errors.Is(err, fs.ErrNotExist) {
					over = "the new file "
				}
				return toolspec.Description{
					Present: fmt.Sprintf("Writing %s to %s%s", counted(lineCount(p.Content), "line"), over, called(at)), Data: p.Content,
				}
			},
			run: runWriteFile,
		})
}

func runWriteFile(ctx context.Context, t *Tools, j job[writeFileParams]) (toolspec.Result, error) {
	a := j.at[0]
	var before current
	changed, err := t.change(ctx, j.call, a, func(now current) (next, error) {
		before = now
		if now.exists && string(now.content) == j.p.Content {
			return next{content: now.content}, nil
		}
		return next{content: []byte(j.p.Content)}, t.fresh(j.call, a, now)
	})
	if err != nil {
		return toolspec.Result{}, err
	}
	lines := lineCount(j.p.Content)
	if !changed {
		r := toolspec.OK(written{Path: a.shown, Lines: lines, Size: len(j.p.Content)})
		r.Text, r.Sentence = a.shown+" holds exactly that already.", called(j.at)+" holds exactly that already"
		return r, nil
	}
	d := diffOf(a.shown, before.content, []byte(j.p.Content))
	r := toolspec.OK(written{a.shown, !before.exists, lines, len(j.p.Content), d.added, d.removed, 0})
	verb := "Replaced"
	if !before.exists {
		verb = "Made"
	}
	r.Sentence = fmt.Sprintf("Wrote %s to %s", counted(lines, "line"), called(j.at))
	r.Text = fmt.Sprintf("%s %s: %s, %s.", verb, a.shown, counted(lines, "line"), sized(int64(len(j.p.Content))))
	if before.exists {
		r.Preview = d.preview()
	} else {
		r.Preview = previewOf(j.p.Content)
	}
	r.Changed = []string{a.real}
	return r, nil
}
