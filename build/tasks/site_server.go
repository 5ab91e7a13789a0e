package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"net"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"
)

//go:embed sites
var siteFiles embed.FS

// siteServer serves every task's copy of its site from one listener, by host. A copy has its own state, a JSON tree
// that pages read as .State and change with these routes:
//
//	POST /api/put        {"path": "mail.3.folder", "value": "Archive"}; null removes it, a last part "-" appends
//	POST /form/PATH?then=/page   the fields of a form appended to the list PATH
//	POST /set/PATH?then=/page    the fields of a form set in the object PATH
//	POST /login?then=/page       checks name and password against accounts.NAME
//	GET  /file/NAME              a file to download
//
// ?wait=MS delays any answer, by at most 3 s. Pages are html/template templates.
type siteServer struct {
	ln   net.Listener
	http *http.Server
	done chan struct{}

	mu     sync.Mutex
	copies map[string]*siteCopy
	pages  map[string]*template.Template
}

// siteCopy is one task's copy of its site.
type siteCopy struct {
	task *task
	// before contains the leaves of the initial state.
	before map[string]string
	state  map[string]any
}

const maxBody = 4 << 20

func startSiteServer() (*siteServer, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening: %w", err)
	}
	s := &siteServer{
		ln:     ln,
		done:   make(chan struct{}),
		copies: map[string]*siteCopy{},
		pages:  map[string]*template.Template{},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/put", s.apiPut)
	mux.HandleFunc("POST /form/{path}", s.form)
	mux.HandleFunc("POST /set/{path}", s.form)
	mux.HandleFunc("POST /login", s.login)
	mux.HandleFunc("GET /logout", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "who", Path: "/", MaxAge: -1})
		http.Redirect(w, r, "/", http.StatusSeeOther)
	})
	mux.HandleFunc("GET /file/{name}", s.file)
	mux.HandleFunc("GET /kit/{name}", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFileFS(w, r, siteFiles, "sites/kit/"+path.Base(r.PathValue("name")))
	})
	mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("GET /", s.page)
	s.http = &http.Server{Handler: delayAnswers(mux), ReadHeaderTimeout: 5 * time.Second}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(ln)
	}()
	return s, nil
}

func (s *siteServer) address() string { return s.ln.Addr().String() }

func (s *siteServer) close() {
	_ = s.http.Close()
	<-s.done
}

// delayAnswers delays an answer for as long as ?wait asks, at most 3 s.
func delayAnswers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ms, err := strconv.Atoi(r.URL.Query().Get("wait")); err == nil && ms > 0 {
			pause := time.NewTimer(min(time.Duration(ms)*time.Millisecond, 3*time.Second))
			defer pause.Stop()
			select {
			case <-pause.C:
			case <-r.Context().Done():
				return
			}
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		next.ServeHTTP(w, r)
	})
}

// reset serves a fresh copy of the task's site at its host.
func (s *siteServer) reset(t *task) error {
	b, err := fs.ReadFile(siteFiles, "sites/"+t.Site+"/state.json")
	if err != nil {
		return fmt.Errorf("the site %s: %w", t.Site, err)
	}
	site := &siteCopy{task: t, before: map[string]string{}}
	if err := json.Unmarshal(b, &site.state); err != nil {
		return fmt.Errorf("sites/%s/state.json: %w", t.Site, err)
	}
	over, err := cloneTree(t.State)
	if err != nil {
		return err
	}
	for path, v := range over {
		if err := setValue(site.state, path, v); err != nil {
			return err
		}
	}
	if err := flatten("", site.state, site.before); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.copies[t.host()], s.copies[t.partnerHost()] = site, site
	return nil
}

// stateLeaves returns the leaves of the state of a task's site, before and now.
func (s *siteServer) stateLeaves(t *task) (before, now map[string]string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	site := s.copies[t.host()]
	now = map[string]string{}
	return site.before, now, flatten("", site.state, now)
}

func (s *siteServer) copyFor(r *http.Request) *siteCopy { return s.copies[r.Host] }

// change changes the state of the requested site. If it fails, it answers with an error and returns false.
func (s *siteServer) change(w http.ResponseWriter, r *http.Request, path string, value any) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	site := s.copyFor(r)
	if site == nil {
		http.NotFound(w, r)
		return false
	}
	if err := setValue(site.state, path, value); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return false
	}
	return true
}

func (s *siteServer) apiPut(w http.ResponseWriter, r *http.Request) {
	var p struct {
		Path  string `json:"path"`
		Value any    `json:"value"`
	}
	if err := json.NewDecoder(r.Body).Decode(&p); err != nil || p.Path == "" {
		http.Error(w, "send path and value", http.StatusBadRequest)
		return
	}
	if s.change(w, r, p.Path, p.Value) {
		w.WriteHeader(http.StatusNoContent)
	}
}

func (s *siteServer) form(w http.ResponseWriter, r *http.Request) {
	fields, err := fieldsOf(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	path := r.PathValue("path")
	if strings.HasPrefix(r.URL.Path, "/form/") {
		if !s.change(w, r, path+".-", fields) {
			return
		}
	} else {
		for name, v := range fields {
			if !s.change(w, r, path+"."+name, v) {
				return
			}
		}
	}
	http.Redirect(w, r, localPath(r.URL.Query().Get("then")), http.StatusSeeOther)
}

// localPath returns then if it is a path of this site, else "/".
func localPath(then string) string {
	if !strings.HasPrefix(then, "/") || strings.HasPrefix(then, "//") {
		return "/"
	}
	return then
}

// fieldsOf returns the non-empty fields of a form. A repeated field is a list; a file is an object of name and text.
func fieldsOf(r *http.Request) (map[string]any, error) {
	out := map[string]any{}
	if strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/") {
		if err := r.ParseMultipartForm(maxBody); err != nil {
			return nil, fmt.Errorf("the form cannot be read: %w", err)
		}
		for name, files := range r.MultipartForm.File {
			for _, h := range files {
				f, err := h.Open()
				if err != nil {
					return nil, err
				}
				b, err := io.ReadAll(f)
				_ = f.Close()
				if err != nil {
					return nil, err
				}
				if h.Filename != "" {
					out[name] = map[string]any{"name": h.Filename, "text": string(b)}
				}
			}
		}
	} else if err := r.ParseForm(); err != nil {
		return nil, fmt.Errorf("the form cannot be read: %w", err)
	}
	for name, values := range r.PostForm {
		switch {
		case len(values) > 1:
			list := make([]any, len(values))
			for i, v := range values {
				list[i] = v
			}
			out[name] = list
		case values[0] != "":
			out[name] = values[0]
		}
	}
	return out, nil
}

func (s *siteServer) login(w http.ResponseWriter, r *http.Request) {
	name, then := r.PostFormValue("name"), r.URL.Query().Get("then")
	s.mu.Lock()
	site := s.copyFor(r)
	var password any
	if site != nil && !strings.Contains(name, ".") {
		password = valueAt(site.state, "accounts."+name+".password")
	}
	s.mu.Unlock()
	if password == nil || password != any(r.PostFormValue("password")) {
		http.Redirect(w, r, localPath(then)+"?wrong=1", http.StatusSeeOther)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: "who", Value: name, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode})
	http.Redirect(w, r, localPath(then), http.StatusSeeOther)
}

func (s *siteServer) file(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	site := s.copyFor(r)
	s.mu.Unlock()
	name := path.Base(r.PathValue("name"))
	if site == nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", name))
	http.ServeFileFS(w, r, siteFiles, "sites/"+site.task.Site+"/files/"+name)
}

// page serves a page: /orders is orders.html in the site's folder.
func (s *siteServer) page(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	if name == "" {
		name = "index"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	site := s.copyFor(r)
	if site == nil {
		http.NotFound(w, r)
		return
	}
	tmpl, err := s.template(site.task.Site)
	if err != nil || tmpl.Lookup(name+".html") == nil {
		http.NotFound(w, r)
		return
	}
	who := ""
	if c, err := r.Cookie("who"); err == nil {
		who = c.Value
	}
	var out bytes.Buffer
	err = tmpl.ExecuteTemplate(&out, name+".html", map[string]any{
		"State": site.state, "Query": r.URL.Query(), "Who": who, "Page": name,
		"Partner": "http://" + site.task.partnerHost(), "Site": "http://" + site.task.host(),
	})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(out.Bytes())
}

// template returns a site's pages with those of the kit, which are parsed once. The caller holds mu.
func (s *siteServer) template(site string) (*template.Template, error) {
	if tmpl := s.pages[site]; tmpl != nil {
		return tmpl, nil
	}
	tmpl, err := template.New(site).Funcs(template.FuncMap{"at": valueAt}).
		ParseFS(siteFiles, "sites/kit/*.html", "sites/"+site+"/*.html")
	if err != nil {
		return nil, err
	}
	s.pages[site] = tmpl
	return tmpl, nil
}
