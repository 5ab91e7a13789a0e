package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// Bounds of what the window's own pages look at.
const (
	// maxEdited bounds a text that an editor opens: what comes back with a save fits the door.
	maxEdited     = 2 << 20
	maxRows       = 5000
	maxFoundPaths = 50
	maxStamps     = 300
	maxPreview    = 20 << 20
)

// Text is the file at path as an editor opens it. What cannot be edited is told in the answer; the
// error is a place that is closed to all, or our own fault.
func (t *Tools) Text(ctx context.Context, path string) (wire.FileText, error) {
	a, err := t.locate(path)
	if err != nil {
		return wire.FileText{}, err
	}
	f := wire.FileText{Path: a.real, Shown: a.shown, Name: filepath.Base(a.real)}
	if a.folder == "" {
		f.ReadOnly = "It lies outside of the workspace folder."
	}
	file, info, err := t.openFile(a)
	var bad *fault
	switch {
	case err == nil:
		defer func() { _ = file.Close() }()
	case missing(a):
		f.Missing = true
		return f, nil
	case errors.As(err, &bad):
		f.Problem = sentenceOf(bad.message)
		return f, nil
	default:
		return wire.FileText{}, err
	}
	f.Size, f.Modified, f.Stamp = info.Size(), info.ModTime(), stampOf(info)
	head := make([]byte, 512)
	n, _ := io.ReadFull(file, head) // less is a short file
	f.Kind = http.DetectContentType(head[:n])
	if info.Size() > maxEdited {
		f.Problem = fmt.Sprintf("It is %s; up to %s can be edited here.", sized(info.Size()), sized(maxEdited))
		return f, nil
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return wire.FileText{}, fmt.Errorf("reading %s: %w", a.shown, err)
	}
	content, err := io.ReadAll(io.LimitReader(obeying{ctx, file}, maxEdited+1))
	if err != nil {
		return wire.FileText{}, fmt.Errorf("reading %s: %w", a.shown, err)
	}
	f.Version = hashOf(content)
	text, form, err := decoded(content, a)
	if errors.As(err, &bad) {
		f.Problem = sentenceOf(bad.message)
		return f, nil
	}
	f.Text, f.Encoding = text, form.String()
	return f, err
}

// missing reports whether nothing lies at a.
func missing(a target) bool {
	_, err := os.Lstat(a.real)
	return errors.Is(err, fs.ErrNotExist)
}

// decoded is the text of a content; what would not come back as it is when saved is a fault.
func decoded(content []byte, a target) (string, form, error) {
	r, form, err := textOf(strings.NewReader(string(content)), "", a, int64(len(content)))
	if err != nil {
		return "", form, err
	}
	b, err := io.ReadAll(r)
	if err != nil {
		return "", form, err
	}
	if !utf8.Valid(b) || strings.ContainsRune(string(b), 0) {
		return "", form, &fault{toolspec.UserError, a.shown + " is not text in an encoding that could be saved again", ""}
	}
	return string(b), form, nil
}

func sentenceOf(s string) string {
	if s == "" || strings.HasSuffix(s, ".") {
		return s
	}
	return s + "."
}

// stampOf changes when a file or a folder's list of names does.
func stampOf(info fs.FileInfo) string {
	return fmt.Sprintf("%d-%d-%o", info.ModTime().UnixNano(), info.Size(), info.Mode().Type())
}

// Folder lists the folder at path, folders first and then by name.
func (t *Tools) Folder(ctx context.Context, folder string) (wire.Folder, error) {
	a, err := t.locate(pathOr(folder))
	if err != nil {
		return wire.Folder{}, err
	}
	info, err := os.Lstat(a.real)
	if err != nil {
		return wire.Folder{}, t.cannot(a, err)
	}
	out := wire.Folder{Path: a.real, Shown: a.shown, Stamp: stampOf(info), Rows: []wire.FolderRow{}}
	w := walk{t: t, ctx: ctx, tool: "list_directory", depth: 1}
	if root, err := t.openDir(a, a.real); err == nil && a.folder != "" {
		w.above(a)
		w.rules = append(w.rules, readRules(root, filepath.ToSlash(a.real))...)
		_ = root.Close()
	}
	w.visit = func(e entry) error {
		if len(out.Rows) >= maxRows {
			out.More++
			return nil
		}
		out.Rows = append(out.Rows, w.row(e))
		return nil
	}
	if err := w.run(a); err != nil {
		return wire.Folder{}, t.notAFolder(a, err)
	}
	slices.SortStableFunc(out.Rows, func(a, b wire.FolderRow) int {
		if af, bf := a.Kind == "folder", b.Kind == "folder"; af != bf {
			return map[bool]int{true: -1, false: 1}[af]
		}
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return out, nil
}

func (w *walk) row(e entry) wire.FolderRow {
	r := wire.FolderRow{
		Name: strings.ToValidUTF8(e.d.Name(), "\uFFFD"), Path: e.real, Kind: kindOf(e.d.Type()),
		Hidden: strings.HasPrefix(e.d.Name(), "."), Ignored: w.ignored(e),
	}
	if info, err := e.d.Info(); err == nil {
		r.Modified = info.ModTime()
		if info.Mode().IsRegular() {
			r.Size = info.Size()
		}
	}
	return r
}

// Stamps are the stamps of absolute paths, at most of the first 300.
func (t *Tools) Stamps(paths []string) wire.PathStamps {
	out := wire.PathStamps{Stamps: map[string]string{}}
	for _, path := range paths[:min(len(paths), maxStamps)] {
		out.Stamps[path] = ""
		a, err := t.locateSelf(path)
		if err != nil {
			continue
		}
		if info, err := os.Lstat(a.real); err == nil {
			out.Stamps[path] = stampOf(info)
		}
	}
	return out
}

// Paths finds files of the workspace whose paths hold the letters of words in their order, those
// that hold them together and in the name first.
func (t *Tools) Paths(ctx context.Context, words string) (wire.FoundPaths, error) {
	a, err := t.locate(".")
	if err != nil {
		return wire.FoundPaths{}, err
	}
	type found struct {
		path string
		far  int
	}
	var all []found
	words = strings.ToLower(strings.ReplaceAll(words, " ", ""))
	w := walk{t: t, ctx: ctx, tool: "find_files", heed: true, depth: maxDepth}
	w.visit = func(e entry) error {
		if far, ok := farness(strings.ToLower(e.rel), words); ok && e.d.Type().IsRegular() && utf8.ValidString(e.rel) {
			all = append(all, found{e.rel, far})
		}
		return nil
	}
	if err := w.run(a); err != nil {
		return wire.FoundPaths{}, err
	}
	slices.SortStableFunc(all, func(a, b found) int { return a.far - b.far })
	out := wire.FoundPaths{Paths: []string{}, More: len(all) > maxFoundPaths}
	for _, f := range all[:min(len(all), maxFoundPaths)] {
		out.Paths = append(out.Paths, f.path)
	}
	return out, nil
}

// farness is how far a path is from words, less is nearer.
func farness(p, words string) (far int, ok bool) {
	name := path.Base(p)
	switch {
	case strings.HasPrefix(name, words):
		return len(p), true
	case strings.Contains(name, words):
		return 1000 + len(p), true
	case strings.Contains(p, words):
		return 2000 + len(p), true
	}
	at := 0
	for _, r := range words {
		i := strings.IndexRune(p[at:], r)
		if i < 0 {
			return 0, false
		}
		at += i + utf8.RuneLen(r)
	}
	return 3000 + len(p), true
}

// Picture opens a picture of at most 20 MB for showing it; kind is its MIME type by its bytes. What is no picture
// that a page may show is a fault. The caller closes it.
func (t *Tools) Picture(p string) (file io.ReadCloser, kind string, err error) {
	a, err := t.locate(p)
	if err != nil {
		return nil, "", err
	}
	f, info, err := t.openFile(a)
	if err != nil {
		return nil, "", err
	}
	head := make([]byte, 512)
	n, _ := io.ReadFull(f, head) // less is a short file
	kind = http.DetectContentType(head[:n])
	_, err = f.Seek(0, io.SeekStart)
	if err == nil && (!slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, kind) || info.Size() > maxPreview) {
		err = &fault{toolspec.UserError, a.shown + " is no picture that is shown here", ""}
	}
	if err != nil {
		_ = f.Close()
		return nil, "", err
	}
	return f, kind, nil
}

// Real is the absolute path that path leads to; it fails where no tool may go.
func (t *Tools) Real(path string) (string, error) {
	a, err := t.locate(path)
	return a.real, err
}

// Closed reports whether err says that a place is closed to every tool.
func Closed(err error) bool {
	var f *fault
	return errors.As(err, &f) && f.kind == toolspec.SecurityError
}

// Mendable reports whether err is about what was asked for and not about us.
func Mendable(err error) bool {
	var f *fault
	return errors.As(err, &f)
}
