package files

import (
	"context"
	_ "embed"
	"fmt"
	"io/fs"
	"strings"

	"sextant/shared/toolspec"
)

//go:embed list_directory.md
var listDirectoryDoc string

// maxListed bounds one list.
const maxListed = 2000

type listDirectoryParams struct {
	Path      string `json:"path"`
	Recursive bool   `json:"recursive"`
	Ignored   bool   `json:"ignored"`
}

// listed is one line of a list.
type listed struct {
	Path string `json:"path"`
	// Type is file, folder, link or another kind.
	Type string `json:"type"`
	Size int64  `json:"size,omitempty"`
}

func listDirectory() tool {
	return build(
		define("list_directory", listDirectoryDoc, `{"type":"object","properties":{`+
			`"path":{"type":"string","default":".","description":"The folder; the workspace when left out."},`+
			`"recursive":{"type":"boolean","default":false,"description":"Also what lies below."},`+
			`"ignored":{"type":"boolean","default":false,"description":"With recursive: also what .gitignore leaves out."}`+
			`},"additionalProperties":false}`,
			toolspec.Hints{ReadOnly: true, Idempotent: true}, `{}`, `{"path":"src","recursive":true}`),
		parts[listDirectoryParams]{
			uses: func(_ *Tools, _ toolspec.Call, p listDirectoryParams) ([]use, error) { return reads(p.Path), nil },
			say: func(_ *Tools, _ listDirectoryParams, at []target) toolspec.Description {
				return toolspec.Description{Present: "Listing " + shownFolder(at[0])}
			},
			run: runListDirectory,
		})
}

func runListDirectory(ctx context.Context, t *Tools, j job[listDirectoryParams]) (toolspec.Result, error) {
	a, found, left := j.at[0], []listed{}, 0
	w := walk{t: t, ctx: ctx, tool: j.call.Tool, heed: j.p.Recursive && !j.p.Ignored, depth: 1}
	if j.p.Recursive {
		w.depth = maxDepth
	}
	w.visit = func(e entry) error {
		if len(found) >= maxListed {
			left++
			return nil
		}
		found = append(found, describeEntry(e))
		return nil
	}
	if err := w.run(a); err != nil {
		return toolspec.Result{}, t.notAFolder(a, err)
	}
	more := ""
	if left > 0 {
		more = fmt.Sprintf("%d more not shown; list a folder further down", left)
	}
	note := w.notes(more)
	r := toolspec.OK(map[string]any{"path": a.shown, "entries": found, "note": note})
	r.Sources = w.sources()
	r.Text = listText(a, found, note)
	r.Sentence = fmt.Sprintf("Listed %s: %s", shownFolder(a), entriesWord(len(found)+left))
	return r, nil
}

func entriesWord(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}

func describeEntry(e entry) listed {
	l := listed{Path: e.rel, Type: kindOf(e.d.Type())}
	if e.d.Type().IsRegular() {
		if info, err := e.d.Info(); err == nil {
			l.Size = info.Size()
		}
	}
	return l
}

func listText(a target, found []listed, note string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s%s\n", a.shown, entriesWord(len(found)), inBrackets(note))
	for _, l := range found {
		switch l.Type {
		case kindOf(fs.ModeDir):
			fmt.Fprintf(&b, "%s/\n", l.Path)
		case kindOf(0):
			fmt.Fprintf(&b, "%s  %s\n", l.Path, sized(l.Size))
		default:
			fmt.Fprintf(&b, "%s  (%s)\n", l.Path, l.Type)
		}
	}
	return b.String()
}

// notAFolder says of a walk that failed when it began at a file.
func (t *Tools) notAFolder(a target, err error) error {
	if info, statErr := t.look(a); statErr == nil && !info.IsDir() {
		return &fault{toolspec.UserError, a.shown + " is no folder", "Call read_file or file_info with it, or list its folder."}
	}
	return err
}
