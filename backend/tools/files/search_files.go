package files

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"sextant/backend/guard/places"
	"sextant/shared/clip"
	"sextant/shared/toolspec"
)

//go:embed search_files.md
var searchFilesDoc string

// Bounds of a search, in bytes. A longer line is searched as far as maxLine.
const (
	maxSearched = 16 << 20
	maxLine     = 256 << 10
	shownLine   = 300
)

type searchFilesParams struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path"`
	Glob    string `json:"glob"`
	Limit   int    `json:"limit"`
	Ignored bool   `json:"ignored"`
}

// hit is one line that fits.
type hit struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

func searchFiles() tool {
	return build(
		define("search_files", searchFilesDoc, `{"type":"object","properties":{`+
			`"pattern":{"type":"string","minLength":1,"maxLength":1000,"description":"A regular expression; (?i) in front takes no regard of case."},`+
			`"path":{"type":"string","default":".","description":"The folder or file to search; the workspace when left out."},`+
			`"glob":{"type":"string","maxLength":500,"description":"Only files whose path fits, such as *.go."},`+
			`"limit":{"type":"integer","minimum":1,"maximum":1000,"default":100,"description":"Lines to give at most."},`+
			`"ignored":{"type":"boolean","default":false,"description":"Also what .gitignore leaves out."}`+
			`},"required":["pattern"],"additionalProperties":false}`,
			toolspec.Hints{ReadOnly: true, Idempotent: true}, `{"pattern":"TODO"}`, `{"pattern":"func \\w+Handler","path":"backend","glob":"*.go"}`),
		parts[searchFilesParams]{
			uses: func(_ *Tools, _ toolspec.Call, p searchFilesParams) ([]use, error) { return reads(p.Path), nil },
			say: func(_ *Tools, p searchFilesParams, at []target) toolspec.Description {
				return toolspec.Description{Present: "Searching " + shownFolder(at[0]) + " for “" + clip.Bytes(p.Pattern, 60) + "”"}
			},
			run: runSearchFiles,
		})
}

// search is one run of search_files.
type search struct {
	ctx   context.Context
	re    *regexp.Regexp
	limit int

	hits    []hit
	more    bool
	files   int
	skipped int
	// asked counts files that were left out because reading them asks.
	asked int
}

func runSearchFiles(ctx context.Context, t *Tools, j job[searchFilesParams]) (toolspec.Result, error) {
	a := j.at[0]
	re, err := regexp.Compile(j.p.Pattern)
	if err != nil {
		return toolspec.Result{}, &fault{toolspec.ValidationError, "the pattern is no regular expression: " + err.Error(), `RE2 is understood; put \ before . ( [ * + ? { that are meant as they are.`}
	}
	s := &search{ctx: ctx, re: re, limit: j.p.Limit, hits: []hit{}}
	if s.limit <= 0 {
		s.limit = 100
	}
	w := walk{t: t, ctx: ctx, tool: j.call.Tool, heed: !j.p.Ignored, depth: maxDepth}
	if info, err := t.look(a); err == nil && !info.IsDir() {
		err = s.single(t, a)
		if err != nil {
			return toolspec.Result{}, err
		}
	} else if err := s.walk(t, &w, a, j.p.Glob); err != nil {
		return toolspec.Result{}, err
	}
	return s.result(a, j.p.Pattern, &w), nil
}

func (s *search) single(t *Tools, a target) error {
	f, _, err := t.openFile(a)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return done(s.read(f, a.shown))
}

func (s *search) walk(t *Tools, w *walk, a target, glob string) error {
	if glob != "" {
		var err error
		if glob, err = globOf(glob); err != nil {
			return err
		}
	}
	w.visit = func(e entry) error {
		switch {
		case !e.d.Type().IsRegular(), glob != "" && !doublestar.MatchUnvalidated(glob, e.rel):
			return nil
		case e.place.Kind == places.Sensitive && a.place.Kind == places.Ordinary:
			s.asked++
			return nil
		}
		return s.open(e, a)
	}
	return done(w.run(a))
}

// done makes of an early end no error.
func done(err error) error {
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// open searches one file that a walk came by.
func (s *search) open(e entry, a target) error {
	name := e.d.Name()
	info, err := e.dir.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSearched {
		s.skipped++
		return nil
	}
	f, err := e.dir.OpenFile(name, os.O_RDONLY|openCarefully, 0)
	if err != nil {
		s.skipped++
		return nil
	}
	defer func() { _ = f.Close() }()
	if now, err := f.Stat(); err != nil || !os.SameFile(info, now) {
		s.skipped++
		return nil
	}
	shown := e.rel
	if a.shown != "." {
		shown = filepath.ToSlash(filepath.Join(a.shown, e.rel))
	}
	return s.read(f, shown)
}

// read searches the lines of a file.
func (s *search) read(r io.Reader, shown string) error {
	lines := bufio.NewReaderSize(obeying{s.ctx, r}, maxLine)
	if head, _ := lines.Peek(headBytes); bytes.IndexByte(head, 0) >= 0 {
		s.skipped++
		return nil
	}
	s.files++
	begins := true
	for n := 1; ; {
		line, err := lines.ReadSlice('\n')
		// Of a line longer than the buffer only the beginning is searched.
		if len(line) > 0 && begins && s.re.Match(bytes.TrimRight(line, "\r\n")) {
			if len(s.hits) >= s.limit {
				s.more = true
				return errEnough
			}
			text := strings.ToValidUTF8(string(bytes.TrimRight(line, "\r\n")), "\uFFFD")
			s.hits = append(s.hits, hit{shown, n, clip.Bytes(text, shownLine)})
		}
		begins = err == nil
		switch {
		case err == nil:
			n++
		case errors.Is(err, io.EOF):
			return nil
		case !errors.Is(err, bufio.ErrBufferFull):
			if s.ctx.Err() != nil {
				return s.ctx.Err()
			}
			s.skipped++
			return nil
		}
	}
}

func (s *search) result(a target, pattern string, w *walk) toolspec.Result {
	var notes []string
	if s.more {
		notes = append(notes, fmt.Sprintf("more than %d lines fit; narrow the pattern, path or glob", s.limit))
	}
	if s.asked > 0 {
		notes = append(notes, counted(s.asked, "sensitive file")+" left out; read_file asks for them")
	}
	note := w.notes(strings.Join(notes, "; "))
	within := map[string]bool{}
	var b strings.Builder
	var preview []string
	for _, h := range s.hits {
		within[h.Path] = true
		line := fmt.Sprintf("%s:%d: %s", h.Path, h.Line, h.Text)
		b.WriteString(line + "\n")
		if len(preview) < 3 {
			preview = append(preview, clip.Bytes(line, 120))
		}
	}
	r := toolspec.OK(map[string]any{"path": a.shown, "matches": s.hits, "files_searched": s.files, "more": s.more, "note": note})
	r.Text = fmt.Sprintf("%s: %s in %s, of %s searched%s\n%s", pattern, counted(len(s.hits), "line"), counted(len(within), "file"),
		counted(s.files, "file"), inBrackets(note), b.String())
	r.Sentence = fmt.Sprintf("Found %s for “%s”", counted(len(s.hits), "line"), clip.Bytes(pattern, 60))
	r.Sources = w.sources()
	r.Preview = preview
	return r
}
