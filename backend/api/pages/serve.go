package pages

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"sextant/backend/browser/observe/collect"
)

const (
	// maxFile and maxDocument bound what is served, a document because it is read as a whole.
	maxFile     = 64 << 20
	maxDocument = 8 << 20
	// ours is the folder of what we add to a page; no file of a panel can be in it.
	ours   = ".sextant"
	bridge = ours + "/bridge.js"
	// collector is what the environment tools look at the page with.
	collector = ours + "/surface.js"
)

// script is the type of scripts, document of pages that get our script put into them.
const (
	script   = "text/javascript; charset=utf-8"
	document = "text/html; charset=utf-8"
	text     = "text/plain; charset=utf-8"
)

// contentType goes by the extension only. Nothing is guessed from the content, and what is
// not listed is bytes.
func contentType(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".html", ".htm":
		return document
	case ".js", ".mjs":
		return script
	case ".css":
		return "text/css; charset=utf-8"
	case ".json", ".map":
		return "application/json"
	case ".txt", ".md", ".csv":
		return text
	case ".svg":
		return "image/svg+xml"
	case ".png", ".gif", ".webp", ".avif":
		return "image/" + strings.ToLower(path.Ext(name))[1:]
	case ".jpg", ".jpeg":
		return "image/jpeg"
	case ".ico":
		return "image/x-icon"
	case ".woff", ".woff2", ".ttf", ".otf":
		return "font/" + strings.ToLower(path.Ext(name))[1:]
	case ".mp3":
		return "audio/mpeg"
	case ".ogg", ".wav":
		return "audio/" + strings.ToLower(path.Ext(name))[1:]
	case ".mp4", ".webm":
		return "video/" + strings.ToLower(path.Ext(name))[1:]
	case ".wasm":
		return "application/wasm"
	}
	return "application/octet-stream"
}

// refusal is why a request gets no file.
type refusal struct {
	status int
	text   string
}

func (r *refusal) Error() string { return r.text }

func refuse(status int, format string, args ...any) error {
	return &refusal{status, fmt.Sprintf(format, args...)}
}

var errNotThere = refuse(http.StatusNotFound, "There is no such file.")

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	key, name, source, err := s.find(r)
	base := s.Origin() + "/" + key + "/"
	if err != nil {
		base = "'none'"
	}
	guarded(w.Header(), policy(base, s.framer(), source.Grants))
	if err == nil {
		err = send(w, r, source, key, name, s.framer())
	}
	if err == nil {
		return
	}
	var no *refusal
	if !errors.As(err, &no) {
		s.cfg.Log.Debug("serving a panel's page", "file", name, "error", err)
		no = &refusal{http.StatusInternalServerError, "The file could not be read."}
	}
	w.Header().Set("Content-Type", text)
	w.WriteHeader(no.status)
	if r.Method != http.MethodHead {
		_, _ = io.WriteString(w, no.text+"\n") // who left does not read it
	}
}

// find judges the request and tells whose file it asks for.
func (s *Server) find(r *http.Request) (key, name string, source Source, err error) {
	switch {
	case r.Host != s.Host():
		err = refuse(http.StatusForbidden, "This address answers to its own name only.")
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		err = refuse(http.StatusMethodNotAllowed, "Only GET and HEAD work here.")
	case r.Header.Get("Service-Worker") != "" || unwanted(r.Header.Get("Sec-Fetch-Dest")):
		err = refuse(http.StatusForbidden, "A panel's page has no workers and no plug-ins.")
	}
	if err != nil {
		return "", "", Source{}, err
	}
	key, name, _ = strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	panel, known := s.panelOf(key)
	if !known {
		return "", "", Source{}, errNotThere
	}
	if source, known = s.cfg.Source(panel); !known {
		return "", "", Source{}, errNotThere
	}
	return key, name, source, plain(r.URL, name)
}

// unwanted are destinations that no page of a panel has.
func unwanted(destination string) bool {
	switch destination {
	case "serviceworker", "sharedworker", "worker", "object", "embed", "manifest":
		return true
	}
	return false
}

// plain refuses every spelling of a path but the plain one.
func plain(u *url.URL, name string) error {
	if strings.ContainsAny(name, "\\\x00:") || strings.Contains(strings.ToLower(u.EscapedPath()), "%2f") ||
		!fs.ValidPath(name) || name == "." {
		return errNotThere
	}
	return nil
}

// escaped is a path of a panel's folder in an address.
func escaped(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return strings.Join(parts, "/")
}

// shown reports whether pages may have a file: nothing whose name begins with a dot, and
// nothing that the panel's manifest keeps for its backend.
func shown(source Source, name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") {
			return false
		}
	}
	return !slices.ContainsFunc(source.Hidden,
		func(hidden string) bool { return strings.EqualFold(path.Clean(hidden), name) })
}

func send(w http.ResponseWriter, r *http.Request, source Source, key, name, shell string) error {
	h := w.Header()
	h.Set("Content-Type", contentType(name))
	switch name {
	case bridge:
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(bridgeScript()))
		return nil
	case collector:
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(collect.PageScript()))
		return nil
	}
	if source.Document != nil {
		if name != Entry {
			return errNotThere
		}
		return sendPage(w, r, source.Document, key)
	}
	if !shown(source, name) {
		return errNotThere
	}
	file, info, err := open(source, name)
	if err != nil {
		return err
	}
	defer file.Close()
	if contentType(name) != document {
		h.Set("Content-Security-Policy", inert(shell))
		http.ServeContent(w, r, "", time.Time{}, io.NewSectionReader(file, 0, info.Size()))
		return nil
	}
	if info.Size() > maxDocument {
		return refuse(http.StatusRequestEntityTooLarge, "The page is larger than %d MB.", maxDocument>>20)
	}
	page, err := io.ReadAll(io.LimitReader(file, maxDocument))
	if err != nil {
		return fmt.Errorf("reading %s: %w", name, err)
	}
	return sendPage(w, r, page, key)
}

// sendPage sends a document with our script in front.
func sendPage(w http.ResponseWriter, r *http.Request, page []byte, key string) error {
	page, err := inject(page, `<script src="/`+key+`/`+bridge+`"></script>`)
	if err != nil {
		return refuse(http.StatusUnsupportedMediaType, "%s", err)
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(page))
	return nil
}

// open opens a regular file of the panel's folder. No link leads out of it, a pipe is not
// waited for, and a file with a second name is refused: that name may stand anywhere.
func open(source Source, name string) (*os.File, fs.FileInfo, error) {
	outer, err := os.OpenRoot(source.Root)
	if err != nil {
		return nil, nil, errNotThere
	}
	defer outer.Close()
	inner, err := outer.OpenRoot(source.Folder)
	if err != nil {
		return nil, nil, errNotThere
	}
	defer inner.Close()
	file, err := inner.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, errNotThere
	}
	info, err := file.Stat()
	switch {
	case err != nil || !info.Mode().IsRegular():
		err = errNotThere
	case names(info) > 1:
		err = refuse(http.StatusForbidden, "%s is a hard link; copy the file into the panel's folder.", name)
	case info.Size() > maxFile:
		err = refuse(http.StatusRequestEntityTooLarge, "%s is larger than %d MB.", name, maxFile>>20)
	}
	if err != nil {
		_ = file.Close() // it was only read
		return nil, nil, err
	}
	return file, info, nil
}
