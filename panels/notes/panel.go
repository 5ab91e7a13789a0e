// Package notes is the backend of the notes panel. Notes are Markdown files in one folder.
//
// The file tools do the work on <folder>/<name>.md (panels.FileHandler): atomic writes, a check that the note is
// unchanged since it was read, and undo. The package checks the names, so that none leads out of the folder.
package notes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sextant/panels"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

const (
	ending      = ".md"
	maxNotes    = 2000
	maxHead     = 4096
	maxName     = 120
	maxSearched = 2 << 20
	maxHits     = 100
)

// Files contains the methods of the file tools that the panel needs.
type Files interface {
	panels.Files
	// ReadText reads a file as an editor would open it.
	ReadText(ctx context.Context, path string) (wire.FileText, error)
}

// Panel is the http.Handler of the panel's endpoints. It is safe for concurrent use.
type Panel struct {
	*panels.FileHandler
	files Files
	dir   string
}

// New returns a Panel for the notes in dir, an absolute path that New creates if it is missing.
func New(files Files, dir string) (*Panel, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder for notes: %w", err)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, fmt.Errorf("finding the folder for notes: %w", err)
	}
	p := &Panel{files: files, dir: real}
	p.FileHandler = panels.NewFileHandler(
		files,
		panels.FileAction{Tool: "notes_list", Endpoint: "GET /api/notes/list", Run: p.list},
		panels.FileAction{Tool: "notes_read", Endpoint: "GET /api/notes/note", Translate: p.read},
		panels.FileAction{Tool: "notes_write", Endpoint: "POST /api/notes/note", Translate: p.write},
		panels.FileAction{Tool: "notes_append", Endpoint: "POST /api/notes/append", Translate: p.append},
		panels.FileAction{Tool: "notes_search", Endpoint: "GET /api/notes/search", Run: p.search},
		panels.FileAction{Tool: "notes_rename", Endpoint: "POST /api/notes/rename", Translate: p.rename},
		panels.FileAction{Tool: "notes_trash", Endpoint: "POST /api/notes/trash", Translate: p.trash},
		panels.FileAction{
			Tool: "notes_restore", Endpoint: "POST /api/notes/restore",
			Translate: func(call toolspec.Call) (string, any, *toolspec.Result) {
				var a struct {
					ID string `json:"id"`
				}
				bad := panels.DecodeArgs(call, &a)
				return "hand_restore", a, bad
			},
		},
	)
	p.SetOwnFolder(real)
	return p, nil
}

type args struct {
	Name    string  `json:"name"`
	To      string  `json:"to"`
	Content string  `json:"content"`
	Version *string `json:"version"`
	Query   string  `json:"query"`
}

func (p *Panel) decode(call toolspec.Call) (a args, path string, bad *toolspec.Result) {
	if bad := panels.DecodeArgs(call, &a); bad != nil {
		return a, "", bad
	}
	path, bad = p.path(a.Name)
	return a, path, bad
}

// path returns the path of the note's file. It refuses names that are too long, begin or end with a dot, or contain
// slashes, invisible characters or characters that some file systems forbid.
func (p *Panel) path(name string) (string, *toolspec.Result) {
	name = strings.TrimSuffix(strings.TrimSpace(name), ending)
	why := ""
	switch {
	case name == "":
		why = "the name of the note is empty"
	case utf8.RuneCountInString(name) > maxName || len(name) > 240:
		why = fmt.Sprintf("the name is longer than %d characters", maxName)
	case strings.HasPrefix(name, ".") || strings.HasSuffix(name, "."):
		why = "the name begins or ends with a dot"
	case strings.ContainsAny(name, `/\:*?"<>|`):
		why = `the name holds one of / \ : * ? " < > |`
	case !utf8.ValidString(name) || strings.ContainsFunc(name,
		func(r rune) bool { return unicode.IsControl(r) || r == utf8.RuneError || unicode.Is(unicode.Cf, r) }):
		why = "the name contains an invisible character"
	}
	if why != "" {
		r := toolspec.Fail(toolspec.ValidationError, why, "Valid names are Ideas and 2026-11 plans.")
		return "", &r
	}
	return filepath.Join(p.dir, name+ending), nil
}

func (p *Panel) read(call toolspec.Call) (string, any, *toolspec.Result) {
	_, path, bad := p.decode(call)
	return "read_file", map[string]any{"path": path}, bad
}

func (p *Panel) write(call toolspec.Call) (string, any, *toolspec.Result) {
	a, path, bad := p.decode(call)
	out := map[string]any{"path": path, "content": a.Content, "private": true}
	if a.Version != nil {
		out["version"] = *a.Version
	}
	return "hand_save", out, bad
}

func (p *Panel) append(call toolspec.Call) (string, any, *toolspec.Result) {
	a, path, bad := p.decode(call)
	return "hand_save", map[string]any{"path": path, "content": a.Content, "private": true, "append": true}, bad
}

func (p *Panel) rename(call toolspec.Call) (string, any, *toolspec.Result) {
	a, path, bad := p.decode(call)
	if bad != nil {
		return "", nil, bad
	}
	to, bad := p.path(a.To)
	return "hand_move", map[string]any{"from": path, "to": to}, bad
}

func (p *Panel) trash(call toolspec.Call) (string, any, *toolspec.Result) {
	_, path, bad := p.decode(call)
	return "hand_trash", map[string]any{"path": path}, bad
}

// Notes returns the notes with each of words in their name or text, ignoring case, the latest first. If words is "", it
// returns all notes, at most 2,000.
func (p *Panel) Notes(words string) ([]wire.Note, error) {
	root, err := os.OpenRoot(p.dir)
	if err != nil {
		return nil, fmt.Errorf("reading the folder of notes: %w", err)
	}
	defer func() { _ = root.Close() }()
	d, err := root.Open(".")
	if err != nil {
		return nil, fmt.Errorf("reading the folder of notes: %w", err)
	}
	entries, err := d.ReadDir(4 * maxNotes)
	_ = d.Close()
	if err != nil && !errors.Is(err, io.EOF) { // io.EOF means that the folder is empty
		return nil, fmt.Errorf("reading the folder of notes: %w", err)
	}
	notes := []wire.Note{}
	want := strings.Fields(strings.ToLower(words))
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ending)
		if path, bad := p.path(name); !ok || bad != nil || filepath.Base(path) != e.Name() || !e.Type().IsRegular() ||
			len(notes) >= maxNotes {
			continue
		}
		info, err := e.Info()
		if err != nil {
			continue
		}
		text := head(root, e.Name(), len(want) > 0)
		low := strings.ToLower(name + "\n" + text)
		if slices.ContainsFunc(want, func(w string) bool { return !strings.Contains(low, w) }) {
			continue
		}
		notes = append(notes, wire.Note{
			Name: name, Path: filepath.Join(p.dir, e.Name()), Size: info.Size(), Modified: info.ModTime(),
			Preview: preview(text, name),
		})
	}
	slices.SortFunc(notes, func(a, b wire.Note) int {
		return cmp.Or(b.Modified.Compare(a.Modified), strings.Compare(a.Name, b.Name))
	})
	return notes, nil
}

func head(root *os.Root, name string, whole bool) string {
	f, err := root.Open(name)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	most := maxHead
	if whole {
		most = maxSearched
	}
	b := make([]byte, 0, maxHead)
	for len(b) < most {
		if len(b) == cap(b) {
			b = slices.Grow(b, min(len(b), most-len(b)))
		}
		n, err := f.Read(b[len(b):min(cap(b), most)])
		b = b[:len(b)+n]
		if err != nil || n == 0 {
			break
		}
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
}

func preview(text, name string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(strings.TrimLeft(line, "#>-*+ \t"))
		if line == "" || strings.EqualFold(line, name) {
			continue
		}
		if r := []rune(line); len(r) > 120 {
			return string(r[:120]) + "…"
		}
		return line
	}
	return ""
}

func (p *Panel) list(context.Context, toolspec.Call) toolspec.Result {
	notes, err := p.Notes("")
	if err != nil {
		return toolspec.Fail(toolspec.SystemError, err.Error(), "Try it again.")
	}
	r := toolspec.OK(wire.NoteList{Notes: notes})
	var b strings.Builder
	for _, n := range notes {
		fmt.Fprintf(&b, "%s  (%s)  %s\n", n.Name, n.Modified.Format("2006-01-02 15:04"), n.Preview)
	}
	if r.Text = b.String(); len(notes) == 0 {
		r.Text = "There are no notes yet. Make one with notes_write."
	}
	return r
}

func (p *Panel) search(ctx context.Context, call toolspec.Call) toolspec.Result {
	var a args
	if bad := panels.DecodeArgs(call, &a); bad != nil {
		return *bad
	}
	notes, err := p.Notes("")
	if err != nil {
		return toolspec.Fail(toolspec.SystemError, err.Error(), "Try it again.")
	}
	var b strings.Builder
	hits, low := []wire.NoteHit{}, strings.ToLower(a.Query)
	for _, n := range notes {
		text, err := p.files.ReadText(ctx, n.Path)
		if err != nil || ctx.Err() != nil {
			continue
		}
		at := 0
		for line := range strings.Lines(text.Text) {
			at++
			if strings.Contains(strings.ToLower(line), low) && len(hits) < maxHits {
				line = strings.TrimSpace(line)
				hits = append(hits, wire.NoteHit{Name: n.Name, Line: at, Text: line[:min(len(line), 300)]})
				fmt.Fprintf(&b, "%s:%d: %s\n", n.Name, at, hits[len(hits)-1].Text)
			}
		}
	}
	r := toolspec.OK(wire.NoteHits{Hits: hits})
	if r.Text = b.String(); len(hits) == 0 {
		r.Text = "No note contains it."
	}
	return r
}
