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
	"sync"
	"time"
	"unicode/utf8"

	"github.com/dustin/go-humanize"

	"sextant/backend/toolkit"
	"sextant/backend/tools/files/history"
	"sextant/backend/tools/files/safefs"
	"sextant/backend/tools/files/textfile"
	"sextant/shared/wire"
)

const (
	// maxEdited limits the text that an editor opens, because saving it must fit into one request.
	maxEdited     = 2 << 20
	maxRows       = 5000
	maxFoundPaths = 50
	maxStamps     = 300
	maxPicture    = 20 << 20
)

// ReadText returns the file at path as an editor opens it. Missing and Problem say why there is no text. The error is
// about the path, or unexpected.
func (t *Tools) ReadText(ctx context.Context, path string) (wire.FileText, error) {
	a, err := t.fs.Locate(path)
	if err != nil {
		return wire.FileText{}, err
	}
	f := wire.FileText{Path: a.Real, DisplayPath: a.DisplayPath, Name: filepath.Base(a.Real)}
	if a.Workspace == "" {
		f.ReadOnly = "It lies outside the workspace folder."
	}
	file, info, err := t.fs.OpenFile(a)
	var failed *toolkit.CallError
	switch {
	case err == nil:
		defer func() { _ = file.Close() }()
	case missing(a):
		f.Missing = true
		return f, nil
	case errors.As(err, &failed):
		f.Problem = sentence(failed.Message)
		return f, nil
	default:
		return wire.FileText{}, err
	}
	f.Size, f.Modified, f.Stamp = info.Size(), info.ModTime(), stampOf(info)
	if f.Kind, err = detectType(file); err != nil {
		return wire.FileText{}, fmt.Errorf("reading %s: %w", a.DisplayPath, err)
	}
	if info.Size() > maxEdited {
		f.Problem = fmt.Sprintf("It is %s; up to %s can be edited here.",
			humanize.IBytes(uint64(info.Size())), humanize.IBytes(maxEdited))
		return f, nil
	}
	content, err := io.ReadAll(io.LimitReader(toolkit.ContextReader(ctx, file), maxEdited+1))
	if err != nil {
		return wire.FileText{}, fmt.Errorf("reading %s: %w", a.DisplayPath, err)
	}
	f.Version = history.HashOf(content)
	text, format, err := textfile.Decode(content, a.DisplayPath)
	if errors.As(err, &failed) {
		f.Problem = sentence(failed.Message)
		return f, nil
	}
	f.Text, f.Encoding = text, format.String()
	return f, err
}

func detectType(f io.ReadSeeker) (string, error) {
	head := make([]byte, 512)
	n, _ := io.ReadFull(f, head) // fewer bytes are enough
	_, err := f.Seek(0, io.SeekStart)
	return http.DetectContentType(head[:n]), err
}

func missing(a safefs.Target) bool {
	_, err := os.Lstat(a.Real)
	return errors.Is(err, fs.ErrNotExist)
}

func sentence(s string) string {
	if s == "" || strings.HasSuffix(s, ".") {
		return s
	}
	return s + "."
}

func stampOf(info fs.FileInfo) string {
	return fmt.Sprintf("%d-%d-%o", info.ModTime().UnixNano(), info.Size(), info.Mode().Type())
}

// ListFolder lists up to 5000 entries of a folder: folders first, then by lower-case name. An empty path is the
// workspace folder.
func (t *Tools) ListFolder(ctx context.Context, folder string) (wire.Folder, error) {
	if folder == "" {
		folder = "."
	}
	a, err := t.fs.Locate(folder)
	if err != nil {
		return wire.Folder{}, err
	}
	info, err := os.Lstat(a.Real)
	if err != nil {
		return wire.Folder{}, t.fs.Explain(a, err)
	}
	out := wire.Folder{Path: a.Real, DisplayPath: a.DisplayPath, Stamp: stampOf(info), Rows: []wire.FolderRow{}}
	w := t.walk(ctx, "list_directory")
	w.Depth = 1
	w.LoadIgnores(a)
	w.Visit = func(e safefs.Entry) error {
		if len(out.Rows) >= maxRows {
			out.More++
			return nil
		}
		out.Rows = append(out.Rows, folderRow(e, w.IsIgnored(e)))
		return nil
	}
	if err := w.Run(a); err != nil {
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

func folderRow(e safefs.Entry, ignored bool) wire.FolderRow {
	r := wire.FolderRow{
		Name: strings.ToValidUTF8(e.Name(), "\uFFFD"), Path: e.Real, Kind: safefs.Kind(e.Type()),
		Hidden: strings.HasPrefix(e.Name(), "."), Ignored: ignored,
	}
	if info, err := e.Info(); err == nil {
		r.Modified = info.ModTime()
		if info.Mode().IsRegular() {
			r.Size = info.Size()
		}
	}
	return r
}

// Stamps returns the stamps of the first 300 paths, which are absolute. The stamp of a path that it cannot examine is
// "".
func (t *Tools) Stamps(paths []string) wire.PathStamps {
	out := wire.PathStamps{Stamps: map[string]string{}}
	for _, path := range paths[:min(len(paths), maxStamps)] {
		out.Stamps[path] = ""
		a, err := t.fs.LocateReal(path)
		if err != nil {
			continue
		}
		if info, err := os.Lstat(a.Real); err == nil {
			out.Stamps[path] = stampOf(info)
		}
	}
	return out
}

// FindPaths returns up to 50 workspace files whose paths contain the letters of words in that order, best matches
// first. It ignores case and the spaces in words, and skips files that .gitignore excludes.
func (t *Tools) FindPaths(ctx context.Context, words string) (wire.FoundPaths, error) {
	a, err := t.fs.Locate(".")
	if err != nil {
		return wire.FoundPaths{}, err
	}
	paths, err := t.workspacePaths(ctx, a)
	if err != nil {
		return wire.FoundPaths{}, err
	}
	type match struct {
		path     string
		distance int
	}
	var all []match
	words = strings.ToLower(strings.ReplaceAll(words, " ", ""))
	for _, p := range paths {
		if distance, ok := matchPath(strings.ToLower(p), words); ok {
			all = append(all, match{p, distance})
		}
	}
	slices.SortStableFunc(all, func(a, b match) int { return a.distance - b.distance })
	out := wire.FoundPaths{Paths: []string{}, More: len(all) > maxFoundPaths}
	for _, m := range all[:min(len(all), maxFoundPaths)] {
		out.Paths = append(out.Paths, m.path)
	}
	return out, nil
}

// pathListAge is how long workspacePaths returns the same list, so that a person who types does not walk the workspace
// again with each letter.
const pathListAge = 2 * time.Second

// pathList is a list of the files of a folder.
type pathList struct {
	sync.Mutex
	folder string
	paths  []string
	read   time.Time
}

// workspacePaths returns the files of the workspace that .gitignore does not exclude. They are up to pathListAge old.
func (t *Tools) workspacePaths(ctx context.Context, workspace safefs.Target) ([]string, error) {
	list := &t.paths
	list.Lock()
	defer list.Unlock()
	if list.folder == workspace.Real && t.cfg.Now().Sub(list.read) < pathListAge {
		return list.paths, nil
	}
	var paths []string
	w := t.walk(ctx, "find_files")
	w.RespectGitIgnore = true
	w.Visit = func(e safefs.Entry) error {
		if e.Type().IsRegular() && utf8.ValidString(e.Rel) {
			paths = append(paths, e.Rel)
		}
		return nil
	}
	if err := w.Run(workspace); err != nil {
		return nil, err
	}
	list.folder, list.paths, list.read = workspace.Real, paths, t.cfg.Now()
	return paths, nil
}

func matchPath(p, words string) (distance int, ok bool) {
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

// OpenPicture opens a PNG, JPEG, GIF or WebP file of at most 20 MiB and returns its MIME type as kind. It fails for any
// other file. The caller closes the file.
func (t *Tools) OpenPicture(p string) (file io.ReadCloser, kind string, err error) {
	a, err := t.fs.Locate(p)
	if err != nil {
		return nil, "", err
	}
	f, info, err := t.fs.OpenFile(a)
	if err != nil {
		return nil, "", err
	}
	kind, err = detectType(f)
	shown := slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, kind)
	if err == nil && (!shown || info.Size() > maxPicture) {
		err = toolkit.UserError(a.DisplayPath+" is not a picture that can be shown here", "")
	}
	if err != nil {
		_ = f.Close()
		return nil, "", err
	}
	return f, kind, nil
}

// RealPath returns the absolute path that path leads to, with links followed.
func (t *Tools) RealPath(path string) (string, error) {
	a, err := t.fs.Locate(path)
	return a.Real, err
}

// Changes returns the file changes of a turn and whether each one can be undone.
func (t *Tools) Changes(ctx context.Context, turn string) ([]wire.ChangedFile, error) {
	return t.history.Changes(ctx, turn)
}
