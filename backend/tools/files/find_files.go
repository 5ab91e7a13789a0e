package files

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"sextant/shared/clip"
	"sextant/shared/toolspec"
)

//go:embed find_files.md
var findFilesDoc string

// maxFound bounds the names of one answer.
const maxFound = 500

type findFilesParams struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path"`
	Ignored bool   `json:"ignored"`
}

func findFiles() tool {
	return build(
		define("find_files", findFilesDoc, `{"type":"object","properties":{`+
			`"pattern":{"type":"string","minLength":1,"maxLength":500,"description":"A glob over names and paths, such as *.md or docs/**/*.png."},`+
			`"path":{"type":"string","default":".","description":"The folder to look in; the workspace when left out."},`+
			`"ignored":{"type":"boolean","default":false,"description":"Also what .gitignore leaves out."}`+
			`},"required":["pattern"],"additionalProperties":false}`,
			toolspec.Hints{ReadOnly: true, Idempotent: true}, `{"pattern":"*.md"}`, `{"pattern":"**/*_test.go","path":"backend"}`),
		parts[findFilesParams]{
			uses: func(_ *Tools, _ toolspec.Call, p findFilesParams) ([]use, error) { return reads(p.Path), nil },
			say: func(_ *Tools, p findFilesParams, at []target) toolspec.Description {
				return toolspec.Description{Present: "Finding " + clip.Bytes(p.Pattern, 60) + " in " + shownFolder(at[0])}
			},
			run: runFindFiles,
		})
}

// globOf reads a glob; one without a slash fits names in any folder.
func globOf(pattern string) (string, error) {
	glob := strings.TrimPrefix(pattern, "./")
	if !strings.Contains(glob, "/") {
		glob = "**/" + glob
	}
	if !doublestar.ValidatePattern(glob) {
		return "", &fault{toolspec.ValidationError, fmt.Sprintf("the pattern %q is no glob", pattern), `Write for example *.go, src/**/*.ts or {a,b}*.md; \ stands before a character that is meant as it is.`}
	}
	return glob, nil
}

func runFindFiles(ctx context.Context, t *Tools, j job[findFilesParams]) (toolspec.Result, error) {
	a := j.at[0]
	glob, err := globOf(j.p.Pattern)
	if err != nil {
		return toolspec.Result{}, err
	}
	found, left := []string{}, 0
	w := walk{t: t, ctx: ctx, tool: j.call.Tool, heed: !j.p.Ignored, depth: maxDepth}
	w.visit = func(e entry) error {
		if e.d.IsDir() || !doublestar.MatchUnvalidated(glob, e.rel) {
			return nil
		}
		if len(found) >= maxFound {
			left++
			return nil
		}
		found = append(found, e.rel)
		return nil
	}
	if err := w.run(a); err != nil {
		return toolspec.Result{}, t.notAFolder(a, err)
	}
	more := ""
	if left > 0 {
		more = fmt.Sprintf("%d more not shown; narrow the pattern", left)
	}
	note := w.notes(more)
	r := toolspec.OK(map[string]any{"path": a.shown, "files": found, "note": note})
	head := fmt.Sprintf("%s in %s: %s%s\n", j.p.Pattern, a.shown, counted(len(found)+left, "file"), inBrackets(note))
	r.Text = head + strings.Join(found, "\n")
	r.Sentence = fmt.Sprintf("Found %s for %s", counted(len(found)+left, "file"), clip.Bytes(j.p.Pattern, 60))
	r.Sources = w.sources()
	r.Preview = found[:min(3, len(found))]
	return r, nil
}
