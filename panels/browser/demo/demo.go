// Package demo contains alder & flint, a small invented lamp shop. There people can try a page, its annotations and a
// click without a network, a key or an account. The shop stores nothing: the basket is in a cookie, and an order ends
// on a thank-you page.
//
// Sextant treats its pages as outside pages. The shop works without scripts and makes no requests to other hosts.
package demo

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"strconv"
	"strings"
)

//go:embed pages/*.html
var pageFiles embed.FS

//go:embed art/*.svg
var artFiles embed.FS

//go:embed static
var staticFiles embed.FS

const maxForm = 64 << 10

const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; " +
	"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'"

type shop struct {
	products []product
	pages    map[string]*template.Template
}

// Handler returns a handler that serves the shop at "/". The handler is safe for concurrent use.
func Handler() http.Handler {
	s, err := newShop()
	if err != nil {
		panic(err) // the files are embedded
	}
	static, err := fs.Sub(staticFiles, "static")
	if err != nil {
		panic(err) // the files are embedded
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/lamps/desk", http.StatusFound)
	})
	mux.HandleFunc("GET /lamps/desk", s.category("lamp"))
	mux.HandleFunc("GET /shades", s.category("shade"))
	mux.HandleFunc("GET /bulbs", s.category("bulb"))
	mux.HandleFunc("GET /search", s.search)
	mux.HandleFunc("GET /product/{id}", s.product)
	mux.HandleFunc("GET /journal", s.text("journal", "Journal", "journal"))
	mux.HandleFunc("GET /delivery", s.text("delivery", "Delivery times", ""))
	mux.HandleFunc("GET /basket", s.basket)
	mux.HandleFunc("POST /basket", s.changeBasket)
	mux.HandleFunc("GET /checkout", s.checkout)
	mux.HandleFunc("POST /checkout", s.order)
	mux.HandleFunc("GET /contact", s.contact)
	mux.HandleFunc("POST /contact", s.message)
	mux.HandleFunc("GET /thanks", s.thanks)
	mux.Handle("GET /static/", http.StripPrefix("/static/", http.FileServerFS(static)))
	mux.HandleFunc("/", s.missing)
	return bounded(mux)
}

func bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		next.ServeHTTP(w, r)
	})
}

func newShop() (*shop, error) {
	products, err := readProducts()
	if err != nil {
		return nil, err
	}
	s := &shop{products: products, pages: map[string]*template.Template{}}
	frame, err := template.New("frame.html").Funcs(template.FuncMap{
		"euro":  func(n int) string { return strconv.Itoa(n) + " €" },
		"upto":  func(n int) []int { return make([]int, n) },
		"plus":  func(a, b int) int { return a + b },
		"lower": strings.ToLower,
	}).ParseFS(pageFiles, "pages/frame.html", "pages/parts.html")
	if err != nil {
		return nil, fmt.Errorf("reading the shop's frame: %w", err)
	}
	entries, err := fs.ReadDir(pageFiles, "pages")
	if err != nil {
		return nil, fmt.Errorf("reading the shop's pages: %w", err)
	}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ".html")
		if name == "frame" || name == "parts" {
			continue
		}
		page, err := frame.Clone()
		if err == nil {
			page, err = page.ParseFS(pageFiles, "pages/"+e.Name())
		}
		if err != nil {
			return nil, fmt.Errorf("reading the shop's page %s: %w", name, err)
		}
		s.pages[name] = page
	}
	return s, nil
}

type view struct {
	Title   string
	Section string // the selected entry of the navigation
	Query   string // the text in the search field
	Count   int    // pieces in the basket
	Here    string // path and query to return to after adding to the basket
	Data    any
}

// show writes a page. It renders the page completely first, so that an error can still become a status 500.
func (s *shop) show(w http.ResponseWriter, r *http.Request, status int, page string, v view) {
	v.Count = s.readBasket(r).count()
	v.Here = r.URL.RequestURI()
	var out bytes.Buffer
	if err := s.pages[page].ExecuteTemplate(&out, "frame.html", v); err != nil {
		http.Error(w, "rendering the page: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes())
}

func (s *shop) text(page, title, section string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.show(w, r, http.StatusOK, page, view{
			Title: title, Section: section,
			Data: arrival(r.URL.Query().Get("postcode")),
		})
	}
}

func (s *shop) missing(w http.ResponseWriter, r *http.Request) {
	status := http.StatusNotFound
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		status = http.StatusMethodNotAllowed
	}
	s.show(w, r, status, "missing", view{Title: "Not on our shelves"})
}
