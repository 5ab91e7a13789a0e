package httpapi

import (
	"io/fs"
	"net/http"
	"path"
	"strings"

	"sextant/backend/api/access"
	"sextant/backend/browser/observe/collect"
)

// windowPolicy lets the window run only its own code and connect only to its own origin. Svelte and CodeMirror set
// inline styles, and pictures are blobs.
const windowPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' blob: data:; font-src 'self'; connect-src 'self'; worker-src 'self' blob:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// frameSource ends windowPolicy: it names the origin of frames, so that no page can navigate its frame elsewhere.
func frameSource(pages string) string {
	if pages == "" {
		pages = "'none'"
	}
	return "; frame-src " + pages
}

const surfaceScript = "/surface.js"

// windowHandler serves index.html for a path whose last part has no dot, so that reloading works.
func windowHandler(files fs.FS, built bool, pages string) http.Handler {
	server := http.FileServerFS(files)
	policy := windowPolicy + frameSource(pages)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			access.WriteProblem(w, http.StatusMethodNotAllowed, "Only GET and HEAD work here.")
			return
		}
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		if r.URL.Path == surfaceScript {
			h.Set("Content-Type", "text/javascript; charset=utf-8")
			h.Set("Cache-Control", "no-cache")
			_, _ = w.Write([]byte(collect.PageScript()))
			return
		}
		if !built {
			h.Set("Content-Type", "text/plain; charset=utf-8")
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = w.Write([]byte("The window was not built into this program. Run: make build\nThe HTTP API works.\n"))
			return
		}
		name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
		if strings.HasPrefix(name, "assets/") {
			h.Set("Cache-Control", "public, max-age=31536000, immutable")
		} else {
			h.Set("Cache-Control", "no-cache")
		}
		if name != "" && !strings.Contains(path.Base(name), ".") {
			r.URL.Path = "/"
		}
		server.ServeHTTP(w, r)
	})
}
