// Package testsites serves the difficult pages that the browser tests and end-to-end tests use: overlays, shadow
// roots, frames of two origins, lists that are redrawn, buttons that are enabled late, dialogs, pages that never
// finish loading, long and huge pages.
//
// Every page is the same on every load. Elements that a person could use have their expected role and name in
// data-truth="role:name"; elements that cannot be used have the reason in data-truth-not. Most pages write what
// happened into the element #result.
//
// The package is for tests only. It imports nothing of Sextant.
package testsites

import (
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

//go:embed pages/*
var pageFiles embed.FS

// Credentials that the login page accepts.
const (
	User     = "ana"
	Password = "lantern"
)

// maxWait is the longest delay that a request can ask for.
const maxWait = 10 * time.Second

// Handler serves all pages; "/" lists them. It is safe for concurrent use and has no state. It panics if an embedded
// page cannot be parsed.
func Handler() http.Handler {
	pages, err := template.ParseFS(pageFiles, "pages/*.html")
	if err != nil {
		panic(err) // the pages are embedded
	}
	mux := http.NewServeMux()
	entries, err := fs.ReadDir(pageFiles, "pages")
	if err != nil {
		panic(err) // the folder is embedded
	}
	var names []string
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ".html")
		names = append(names, name)
		mux.HandleFunc("GET /"+name, func(w http.ResponseWriter, r *http.Request) {
			renderPage(w, pages, name, map[string]any{"Other": otherOrigin(r), "Query": r.URL.Query()})
		})
	}
	names = append(names, "links", "big", "never", "never-resource", "slow?ms=100", "download", "redirect?to=/form",
		"status?code=404")
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { listPages(w, names) })
	mux.HandleFunc("POST /form", func(w http.ResponseWriter, r *http.Request) { echoForm(w, r) })
	mux.HandleFunc("POST /login", login)
	mux.HandleFunc("GET /welcome", welcome)
	mux.HandleFunc("GET /links", links)
	mux.HandleFunc("GET /big", big)
	mux.HandleFunc("GET /never", never)
	mux.HandleFunc("GET /never-resource", neverResource)
	mux.HandleFunc("GET /slow", slow)
	mux.HandleFunc("GET /download", download)
	mux.HandleFunc("GET /redirect", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusFound)
	})
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, r *http.Request) {
		code, err := strconv.Atoi(r.URL.Query().Get("code"))
		if err != nil || code < 200 || code > 599 {
			code = http.StatusBadRequest
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(code)
		_, _ = fmt.Fprintf(w, "<!doctype html><title>Status %d</title><h1>Status %d</h1>", code, code)
	})
	return mux
}

func renderPage(w http.ResponseWriter, pages *template.Template, name string, data any) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if err := pages.ExecuteTemplate(w, name+".html", data); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

func writePage(w http.ResponseWriter, title, body string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = fmt.Fprintf(w, `<!doctype html><html lang="en"><meta charset="utf-8"><title>%s</title>%s`, title, body)
}

// otherOrigin returns the origin for cross-origin frames: ?other=… if set, otherwise localhost for 127.0.0.1 and
// the reverse, which are two sites to a browser.
func otherOrigin(r *http.Request) string {
	if o := r.URL.Query().Get("other"); o != "" {
		return strings.TrimSuffix(o, "/")
	}
	host, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		host, port = r.Host, "80"
	}
	if host == "localhost" {
		host = "127.0.0.1"
	} else {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}

func listPages(w http.ResponseWriter, names []string) {
	var b strings.Builder
	for _, n := range names {
		fmt.Fprintf(&b, `<li><a href="/%s" data-truth="link:%s">%s</a>`, n, n, n)
	}
	writePage(w, "Test sites", "<h1>Test sites</h1><ul>"+b.String()+"</ul>")
}

// echoForm shows the fields that a form sent, one per line, sorted by name.
func echoForm(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	text, err := url.QueryUnescape(strings.ReplaceAll(r.PostForm.Encode(), "&", "\n"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	writePage(w, "Sent", `<h1>Sent</h1><pre id="result">`+template.HTMLEscapeString(text)+
		`</pre><a href="/form" data-truth="link:Again">Again</a>`)
}

func login(w http.ResponseWriter, r *http.Request) {
	if r.PostFormValue("user") != User || r.PostFormValue("password") != Password {
		w.WriteHeader(http.StatusUnauthorized)
		writePage(
			w,
			"Log in",
			`<p id="result" role="alert">Wrong name or password.</p><a href="/login" data-truth="link:Try again">Try again</a>`,
		)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: "in", Value: User, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode})
	http.Redirect(w, r, "/welcome", http.StatusSeeOther)
}

func welcome(w http.ResponseWriter, r *http.Request) {
	c, err := r.Cookie("in")
	if err != nil {
		http.Redirect(w, r, "/login", http.StatusSeeOther)
		return
	}
	writePage(w, "Welcome", `<h1 id="result">Welcome, `+template.HTMLEscapeString(c.Value)+`</h1>`)
}

// links serves a page with a list of 300 links.
func links(w http.ResponseWriter, _ *http.Request) {
	var b strings.Builder
	for i := 1; i <= 300; i++ {
		fmt.Fprintf(&b, `<li><a href="#%d" data-truth="link:Link %d">Link %d</a>`, i, i, i)
	}
	writePage(w, "300 links", "<h1>300 links</h1><ul>"+b.String()+"</ul>")
}

// big serves a page of about 16,000 elements, of which every eightieth is a button. ?nodes= sets another number from
// 100 to 100,000.
func big(w http.ResponseWriter, r *http.Request) {
	nodes, err := strconv.Atoi(r.URL.Query().Get("nodes"))
	if err != nil || nodes < 100 || nodes > 100_000 {
		nodes = 16_000
	}
	var b strings.Builder
	rows := nodes / 80 // a row: 1 div, 1 button, 78 spans
	for i := 1; i <= rows; i++ {
		fmt.Fprintf(&b, `<div><button data-truth="button:Row %d">Row %d</button>`, i, i)
		b.WriteString(strings.Repeat("<span>·</span>", 78))
		b.WriteString("</div>")
	}
	writePage(w, "A big page", "<h1>A big page</h1>"+b.String())
}

// never sends the beginning of a page and keeps the connection open until the browser closes it.
func never(w http.ResponseWriter, r *http.Request) {
	writePage(w, "Never done", `<h1>Never done</h1><button data-truth="button:Early">Early</button>`)
	_ = http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

// neverResource serves a complete page with a picture that never arrives; ?picture requests that picture.
func neverResource(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Has("picture") {
		w.Header().Set("Content-Type", "image/png")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		return
	}
	writePage(w, "A picture is missing",
		`<h1>A picture is missing</h1><img src="?picture" alt="never"><button data-truth="button:Ready">Ready</button>`)
}

// slow answers after ?ms= milliseconds, at most maxWait, with the text ?say=.
func slow(w http.ResponseWriter, r *http.Request) {
	ms, err := strconv.Atoi(r.URL.Query().Get("ms"))
	if err != nil || ms < 0 {
		ms = 0
	}
	timer := time.NewTimer(min(time.Duration(ms)*time.Millisecond, maxWait))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.Context().Done():
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = fmt.Fprint(w, r.URL.Query().Get("say"))
}

func download(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="lamps.csv"`)
	_, _ = fmt.Fprint(w, "name,price\nFen,72\n")
}
