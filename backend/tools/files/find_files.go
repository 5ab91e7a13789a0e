package files

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/dustin/go-humanize/english"

	"sextant/backend/toolkit"
	"sextant/backend/tools/files/safefs"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

//go:embed find_files.md
var findFilesDoc string

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
			`"path":{"type":"string","default":".","description":"The folder to search; default: the workspace."},`+
			`"ignored":{"type":"boolean","default":false,"description":"Include what .gitignore excludes."}`+
			`},"required":["pattern"],"additionalProperties":false}`,
			toolspec.Hints{ReadOnly: true, Idempotent: true}, `{"pattern":"*.md"}`,
			`{"pattern":"**/*_test.go","path":"backend"}`, `{"pattern":"*lamp*.{png,jpg}","ignored":true}`),
		handler[findFilesParams]{
			paths: func(_ *Tools, _ toolspec.Call, p findFilesParams) ([]pathUse, error) {
				return readsFrom(p.Path), nil
			},
			describe: func(_ *Tools, p findFilesParams, at []safefs.Target) toolspec.Description {
				return toolspec.Description{Sentence: "Finding " + excerpt.TruncateBytes(p.Pattern, 60) +
					" in " + shownFolder(at[0])}
			},
			run: runFindFiles,
		})
}

func parseGlob(pattern string) (string, error) {
	glob := strings.TrimPrefix(pattern, "./")
	if !strings.Contains(glob, "/") {
		glob = "**/" + glob
	}
	if !doublestar.ValidatePattern(glob) {
		return "", toolkit.ValidationError(
			fmt.Sprintf("the pattern %q is not a valid glob", pattern),
			`Write for example *.go, src/**/*.ts or {a,b}*.md; put \ before a special character that is meant literally.`,
		)
	}
	return glob, nil
}

func runFindFiles(ctx context.Context, t *Tools, r request[findFilesParams]) (toolspec.Result, error) {
	a := r.at[0]
	glob, err := parseGlob(r.p.Pattern)
	if err != nil {
		return toolspec.Result{}, err
	}
	found, omitted := []string{}, 0
	w := t.walk(ctx, r.call.Tool)
	w.RespectGitIgnore = !r.p.Ignored
	w.Visit = func(e safefs.Entry) error {
		if e.IsDir() || !doublestar.MatchUnvalidated(glob, e.Rel) {
			return nil
		}
		if len(found) >= maxFound {
			omitted++
			return nil
		}
		found = append(found, e.Rel)
		return nil
	}
	if err := w.Run(a); err != nil {
		return toolspec.Result{}, t.notAFolder(a, err)
	}
	more := ""
	if omitted > 0 {
		more = fmt.Sprintf("%d more not shown; narrow the pattern", omitted)
	}
	note := w.SkippedNote(more)
	count := english.Plural(len(found)+omitted, "file", "")
	result := toolspec.OK(map[string]any{"path": a.DisplayPath, "files": found, "note": note})
	result.Text = fmt.Sprintf("%s in %s: %s%s\n", r.p.Pattern, a.DisplayPath, count,
		inParentheses(note)) + strings.Join(found, "\n")
	result.Sentence = fmt.Sprintf("Found %s for %s", count, excerpt.TruncateBytes(r.p.Pattern, 60))
	result.Sources = w.Sources()
	result.Preview = found[:min(3, len(found))]
	return result, nil
}
