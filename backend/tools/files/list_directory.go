package files

import (
	"context"
	_ "embed"
	"fmt"
	"io/fs"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"sextant/backend/tools/files/safefs"
	"sextant/shared/toolspec"
)

//go:embed list_directory.md
var listDirectoryDoc string

const maxListed = 2000

type listDirectoryParams struct {
	Path      string `json:"path"`
	Recursive bool   `json:"recursive"`
	Ignored   bool   `json:"ignored"`
}

type listEntry struct {
	Path string `json:"path"`
	// Type is a value of safefs.Kind.
	Type string `json:"type"`
	Size int64  `json:"size,omitempty"`
}

func listDirectory() tool {
	return build(
		define("list_directory", listDirectoryDoc, `{"type":"object","properties":{`+
			`"path":{"type":"string","default":".","description":"The folder; default: the workspace."},`+
			`"recursive":{"type":"boolean","default":false,"description":"Include everything below."},`+
			`"ignored":{"type":"boolean","default":false,"description":"With recursive: include what .gitignore excludes."}`+
			`},"additionalProperties":false}`,
			toolspec.Hints{ReadOnly: true, Idempotent: true}, `{}`, `{"path":"src","recursive":true}`,
			`{"path":"dist","recursive":true,"ignored":true}`),
		handler[listDirectoryParams]{
			paths: func(_ *Tools, _ toolspec.Call, p listDirectoryParams) ([]pathUse, error) {
				return readsFrom(p.Path), nil
			},
			describe: func(_ *Tools, _ listDirectoryParams, at []safefs.Target) toolspec.Description {
				return toolspec.Description{Sentence: "Listing " + shownFolder(at[0])}
			},
			run: runListDirectory,
		})
}

func runListDirectory(ctx context.Context, t *Tools, r request[listDirectoryParams]) (toolspec.Result, error) {
	a, found, omitted := r.at[0], []listEntry{}, 0
	w := t.walk(ctx, r.call.Tool)
	w.RespectGitIgnore = r.p.Recursive && !r.p.Ignored
	if !r.p.Recursive {
		w.Depth = 1
	}
	w.Visit = func(e safefs.Entry) error {
		if len(found) >= maxListed {
			omitted++
			return nil
		}
		l := listEntry{Path: e.Rel, Type: safefs.Kind(e.Type())}
		if info, err := e.Info(); err == nil && e.Type().IsRegular() {
			l.Size = info.Size()
		}
		found = append(found, l)
		return nil
	}
	if err := w.Run(a); err != nil {
		return toolspec.Result{}, t.notAFolder(a, err)
	}
	more := ""
	if omitted > 0 {
		more = fmt.Sprintf("%d more not shown; list a folder further down", omitted)
	}
	note := w.SkippedNote(more)
	result := toolspec.OK(map[string]any{"path": a.DisplayPath, "entries": found, "note": note})
	result.Sources = w.Sources()
	result.Text = listText(a, found, note)
	result.Sentence = fmt.Sprintf("Listed %s: %s", shownFolder(a), english.Plural(len(found)+omitted, "entry", ""))
	return result, nil
}

func listText(a safefs.Target, found []listEntry, note string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s%s\n", a.DisplayPath, english.Plural(len(found), "entry", ""), inParentheses(note))
	for _, l := range found {
		switch l.Type {
		case safefs.Kind(fs.ModeDir):
			fmt.Fprintf(&b, "%s/\n", l.Path)
		case safefs.Kind(0):
			fmt.Fprintf(&b, "%s  %s\n", l.Path, humanize.Bytes(uint64(l.Size)))
		default:
			fmt.Fprintf(&b, "%s  (%s)\n", l.Path, l.Type)
		}
	}
	return b.String()
}
