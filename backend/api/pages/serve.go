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
	// maxDocument is smaller than maxFile because documents are read into memory.
	maxFile     = 64 << 20
	maxDocument = 8 << 20
	// ownFolder is the folder of our files in a page's address; no file of a panel is served from it.
	ownFolder     = ".sextant"
	bridgePath    = ownFolder + "/bridge.js"
	collectorPath = ownFolder + "/surface.js"
)

const (
	typeScript = "text/javascript; charset=utf-8"
	typeHTML   = "text/html; charset=utf-8"
	typeText   = "text/plain; charset=utf-8"
)

// contentType never inspects the content.
func contentType(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".html", ".htm":
		return typeHTML
	case ".js", ".mjs":
		return typeScript
	case ".css":
		return "text/css; charset=utf-8"
	case ".json", ".map":
		return "application/json"
	case ".txt", ".md", ".csv":
		return typeText
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

type refusal struct {
	status int
	text   string
}

func (r *refusal) Error() string { return r.text }

func refuse(status int, format string, args ...any) error {
	return &refusal{status, fmt.Sprintf(format, args...)}
}

var errNotFound = refuse(http.StatusNotFound, "There is no such file.")

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	key, name, source, err := s.find(r)
	base := s.Origin() + "/" + key + "/"
	if err != nil {
		base = "'none'"
	}
	setHeaders(w.Header(), policy(base, s.frameAncestor(), source.Origins))
	if err == nil {
		err = send(w, r, source, key, name, s.frameAncestor())
	}
	if err == nil {
		return
	}
	var refused *refusal
	if !errors.As(err, &refused) {
		s.cfg.Log.Debug("serving a panel's page", "file", name, "err", err)
		refused = &refusal{http.StatusInternalServerError, "The file could not be read."}
	}
	w.Header().Set("Content-Type", typeText)
	w.WriteHeader(refused.status)
	if r.Method != http.MethodHead {
		_, _ = io.WriteString(w, refused.text+"\n") // the client may have disconnected
	}
}

func (s *Server) find(r *http.Request) (key, name string, source Source, err error) {
	switch {
	case r.Host != s.Host():
		err = refuse(http.StatusForbidden, "Wrong Host header: use this server's own address.")
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		err = refuse(http.StatusMethodNotAllowed, "Use GET or HEAD.")
	case r.Header.Get("Service-Worker") != "" || isForbiddenDestination(r.Header.Get("Sec-Fetch-Dest")):
		err = refuse(http.StatusForbidden, "A panel's page may not have workers or plug-ins.")
	}
	if err != nil {
		return "", "", Source{}, err
	}
	key, name, _ = strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	panel, known := s.panelOf(key)
	if !known {
		return "", "", Source{}, errNotFound
	}
	if source, known = s.cfg.Source(panel); !known {
		return "", "", Source{}, errNotFound
	}
	return key, name, source, checkPath(r.URL, name)
}

func isForbiddenDestination(destination string) bool {
	switch destination {
	case "serviceworker", "sharedworker", "worker", "object", "embed", "manifest":
		return true
	}
	return false
}

// checkPath refuses every spelling of a path except the canonical one.
func checkPath(u *url.URL, name string) error {
	if strings.ContainsAny(name, "\\\x00:") || strings.Contains(strings.ToLower(u.EscapedPath()), "%2f") ||
		!fs.ValidPath(name) || name == "." {
		return errNotFound
	}
	return nil
}

func escaped(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return strings.Join(parts, "/")
}

func isServed(source Source, name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") {
			return false
		}
	}
	return !slices.ContainsFunc(source.HiddenFiles,
		func(hidden string) bool { return strings.EqualFold(path.Clean(hidden), name) })
}

func send(w http.ResponseWriter, r *http.Request, source Source, key, name, shell string) error {
	h := w.Header()
	h.Set("Content-Type", contentType(name))
	switch name {
	case bridgePath:
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(bridgeScript()))
		return nil
	case collectorPath:
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(collect.PageScript()))
		return nil
	}
	if source.Document != nil {
		if name != DocumentFile {
			return errNotFound
		}
		return sendPage(w, r, source.Document, key)
	}
	if !isServed(source, name) {
		return errNotFound
	}
	file, info, err := open(source, name)
	if err != nil {
		return err
	}
	defer file.Close()
	if contentType(name) != typeHTML {
		h.Set("Content-Security-Policy", inertPolicy(shell))
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

func sendPage(w http.ResponseWriter, r *http.Request, page []byte, key string) error {
	page, err := inject(page, `<script src="/`+key+`/`+bridgePath+`"></script>`)
	if err != nil {
		return refuse(http.StatusUnsupportedMediaType, "%s", err)
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(page))
	return nil
}

// open follows no link out of the panel's folder. It refuses a file with several hard links, because the others may
// be anywhere.
func open(source Source, name string) (*os.File, fs.FileInfo, error) {
	outer, err := os.OpenRoot(source.Root)
	if err != nil {
		return nil, nil, errNotFound
	}
	defer outer.Close()
	inner, err := outer.OpenRoot(source.Folder)
	if err != nil {
		return nil, nil, errNotFound
	}
	defer inner.Close()
	file, err := inner.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, errNotFound
	}
	info, err := file.Stat()
	switch {
	case err != nil || !info.Mode().IsRegular():
		err = errNotFound
	case linkCount(info) > 1:
		err = refuse(http.StatusForbidden, "%s is a hard link; copy the file into the panel's folder.", name)
	case info.Size() > maxFile:
		err = refuse(http.StatusRequestEntityTooLarge, "%s is larger than %d MB.", name, maxFile>>20)
	}
	if err != nil {
		_ = file.Close() // opened only for reading
		return nil, nil, err
	}
	return file, info, nil
}
