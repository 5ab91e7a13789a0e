package httpapi

import (
	"io/fs"
	"net/http"
	"path"
	"strings"

	"sextant/backend/api/access"
	"sextant/backend/browser/observe/collect"
)

// shellCSP lets the shell run its own code only and talk to its own origin only. Styles
// are inline because Svelte and CodeMirror set them; pictures come as blobs. Frames come from
// the origin of panels' pages alone, which also keeps a page from leading its frame elsewhere.
const shellCSP = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' blob: " +
	"data:; " +
	"font-src 'self'; connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; " +
	"frame-ancestors 'none'"

// framing is the end of shellCSP: where frames come from.
func framing(pages string) string {
	if pages == "" {
		pages = "'none'"
	}
	return "; frame-src " + pages
}

// surfaceScript is where the window finds the script by which its panels' pages are looked at and acted on.
const surfaceScript = "/surface.js"

// shell serves the built window; unknown paths without a dot get index.html so that a
// reload anywhere works.
func shell(files fs.FS, built bool, pages string) http.Handler {
	server := http.FileServerFS(files)
	policy := shellCSP + framing(pages)
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
