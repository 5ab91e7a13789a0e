package files

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/dustin/go-humanize/english"

	"sextant/backend/policy/protectedpaths"
	"sextant/backend/toolkit"
	"sextant/backend/tools/files/safefs"
	"sextant/backend/tools/files/textfile"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

//go:embed search_files.md
var searchFilesDoc string

// Limits of a search, in bytes. In a line longer than maxLine, only the beginning is searched.
const (
	maxSearched  = 16 << 20
	maxLine      = 256 << 10
	maxMatchText = 300
)

type searchFilesParams struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path"`
	Glob    string `json:"glob"`
	Limit   int    `json:"limit"`
	Ignored bool   `json:"ignored"`
}

type match struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

func searchFiles() tool {
	return build(
		define("search_files", searchFilesDoc, `{"type":"object","properties":{`+
			`"pattern":{"type":"string","minLength":1,"maxLength":1000,"description":"A regular expression; (?i) in front ignores case."},`+
			`"path":{"type":"string","default":".","description":"The folder or file to search; default: the workspace."},`+
			`"glob":{"type":"string","maxLength":500,"description":"Only files whose path matches, such as *.go."},`+
			`"limit":{"type":"integer","minimum":1,"maximum":1000,"default":100,"description":"Maximum lines."},`+
			`"ignored":{"type":"boolean","default":false,"description":"Include what .gitignore excludes."}`+
			`},"required":["pattern"],"additionalProperties":false}`,
			toolspec.Hints{ReadOnly: true, Idempotent: true},
			`{"pattern":"TODO"}`, `{"pattern":"func \\w+Handler","path":"backend","glob":"*.go"}`,
			`{"pattern":"(?i)lamp","path":"notes.txt","limit":20}`),
		handler[searchFilesParams]{
			paths: func(_ *Tools, _ toolspec.Call, p searchFilesParams) ([]pathUse, error) {
				return readsFrom(p.Path), nil
			},
			describe: func(_ *Tools, p searchFilesParams, at []safefs.Target) toolspec.Description {
				return toolspec.Description{
					Sentence: "Searching " + shownFolder(at[0]) + " for “" + excerpt.TruncateBytes(p.Pattern, 60) + "”",
				}
			},
			run: runSearchFiles,
		})
}

type search struct {
	ctx   context.Context //nolint:containedctx // a search lives for one call
	re    *regexp.Regexp
	limit int

	matches   []match
	more      bool
	files     int
	sensitive int
}

func runSearchFiles(ctx context.Context, t *Tools, r request[searchFilesParams]) (toolspec.Result, error) {
	a := r.at[0]
	re, err := regexp.Compile(r.p.Pattern)
	if err != nil {
		return toolspec.Result{}, toolkit.ValidationError("the pattern is not a valid regular expression: "+err.Error(),
			`The syntax is RE2; put \ before . ( [ * + ? { that are meant literally.`)
	}
	s := &search{ctx: ctx, re: re, limit: r.p.Limit, matches: []match{}}
	if s.limit <= 0 {
		s.limit = 100
	}
	w := t.walk(ctx, r.call.Tool)
	w.RespectGitIgnore = !r.p.Ignored
	if info, statErr := t.fs.Lstat(a); statErr == nil && !info.IsDir() {
		err = s.file(t, a)
	} else {
		err = s.folder(&w, a, r.p.Glob)
	}
	if err != nil {
		return toolspec.Result{}, err
	}
	return s.result(a, r.p.Pattern, &w), nil
}

func (s *search) file(t *Tools, a safefs.Target) error {
	f, _, err := t.fs.OpenFile(a)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if err := s.read(f, a.DisplayPath); !errors.Is(err, safefs.ErrStop) {
		return err
	}
	return nil
}

func (s *search) folder(w *safefs.Walk, a safefs.Target, glob string) error {
	if glob != "" {
		var err error
		if glob, err = parseGlob(glob); err != nil {
			return err
		}
	}
	w.Visit = func(e safefs.Entry) error {
		switch {
		case !e.Type().IsRegular(), glob != "" && !doublestar.MatchUnvalidated(glob, e.Rel):
			return nil
		case e.Place.Kind == protectedpaths.KindSensitive && a.Place.Kind == protectedpaths.KindOrdinary:
			s.sensitive++
			return nil
		}
		f, ok := e.Open(maxSearched)
		if !ok {
			return nil
		}
		defer func() { _ = f.Close() }()
		shown := e.Rel
		if a.DisplayPath != "." {
			shown = filepath.ToSlash(filepath.Join(a.DisplayPath, e.Rel))
		}
		return s.read(f, shown)
	}
	return w.Run(a)
}

// read returns safefs.ErrStop once the limit is exceeded.
func (s *search) read(r io.Reader, shown string) error {
	lines := bufio.NewReaderSize(toolkit.ContextReader(s.ctx, r), maxLine)
	if head, _ := lines.Peek(textfile.HeadBytes); bytes.IndexByte(head, 0) >= 0 {
		return nil
	}
	s.files++
	lineStart := true
	for n := 1; ; {
		line, err := lines.ReadSlice('\n')
		line = bytes.TrimRight(line, "\r\n")
		if (len(line) > 0 || err == nil) && lineStart && s.re.Match(line) {
			if len(s.matches) >= s.limit {
				s.more = true
				return safefs.ErrStop
			}
			text := strings.ToValidUTF8(string(line), "\uFFFD")
			s.matches = append(s.matches, match{shown, n, excerpt.TruncateBytes(text, maxMatchText)})
		}
		lineStart = err == nil
		switch {
		case err == nil:
			n++
		case errors.Is(err, io.EOF):
			return nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return s.ctx.Err() // skip the rest of a file that fails to read
		}
	}
}

func (s *search) result(a safefs.Target, pattern string, w *safefs.Walk) toolspec.Result {
	var notes []string
	if s.more {
		notes = append(notes, fmt.Sprintf("more than %d lines match; narrow the pattern, path or glob", s.limit))
	}
	if s.sensitive > 0 {
		notes = append(notes, english.Plural(s.sensitive, "sensitive file", "")+" left out; read_file asks for them")
	}
	note := w.SkippedNote(strings.Join(notes, "; "))
	files := map[string]bool{}
	var b strings.Builder
	for _, m := range s.matches {
		files[m.Path] = true
		fmt.Fprintf(&b, "%s:%d: %s\n", m.Path, m.Line, m.Text)
	}
	count := english.Plural(len(s.matches), "line", "")
	r := toolspec.OK(map[string]any{
		"path": a.DisplayPath, "matches": s.matches, "files_searched": s.files, "more": s.more, "note": note,
	})
	r.Text = fmt.Sprintf("%s: %s in %s, of %s searched%s\n%s", pattern, count, english.Plural(len(files), "file", ""),
		english.Plural(s.files, "file", ""), inParentheses(note), b.String())
	r.Sentence = fmt.Sprintf("Found %s for “%s”", count, excerpt.TruncateBytes(pattern, 60))
	r.Sources = w.Sources()
	r.Preview = excerpt.FirstLines(b.String(), 3, 120)
	return r
}
