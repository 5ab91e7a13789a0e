// Package pages serves the pages of webview panels and of MCP servers, from a second loopback origin. The pages
// are untrusted, so this origin offers nothing to them: no API, no token, no cookies and no state. It only
// answers GET and HEAD of files, each panel's below a random key of 256 bits that every run makes again.
//
// A page is shown in a frame with sandbox="allow-scripts". The Content-Security-Policy has a sandbox too, so that a
// page that is opened directly has an opaque origin. It may load its own files, and use the origins in
// Source.Origins. Our script (bridge/) is the first element of each document.
//
// The package makes no decisions about calls: those go from the window to the pipeline.
package pages

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// Source describes the content of the page of a panel or of an MCP server.
type Source struct {
	Root, Folder string
	// Origins are the origins that the page may use besides its own files.
	Origins OriginRules
	// HiddenFiles lists files in the folder that are not served, by slash-separated path.
	HiddenFiles []string
	// Document is the whole page of an MCP server, which has no folder. It is served as DocumentFile.
	Document []byte
}

// DocumentFile is the file name under which Source.Document is served.
const DocumentFile = "index.html"

// Config configures a Server.
type Config struct {
	// Source returns the current content of the page of a panel, or false if there is none. panel may also be the
	// id of an MCP server's page.
	Source func(panel string) (Source, bool)
	Log    *slog.Logger
}

// Server serves the second origin. Its methods may be called concurrently after Listen returned.
type Server struct {
	cfg  Config
	http *http.Server
	ln   net.Listener
	done chan struct{}

	mu           sync.Mutex
	keys         map[string]string // by panel
	panels       map[string]string // by key
	windowOrigin string
}

// New makes a Server. Call Listen to start it.
func New(cfg Config) *Server {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{cfg: cfg, done: make(chan struct{}), keys: map[string]string{}, panels: map[string]string{}}
	s.http = &http.Server{
		Handler:           http.HandlerFunc(s.serve),
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      2 * time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(cfg.Log.Handler(), slog.LevelDebug),
	}
	return s
}

// Listen opens a free port on 127.0.0.1 and serves in the background until Close.
func (s *Server) Listen() error {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listening for panels' pages: %w", err)
	}
	s.ln = ln
	go func() {
		defer close(s.done)
		if err := s.http.Serve(ln); err != nil && !errors.Is(err, http.ErrServerClosed) {
			s.cfg.Log.Error("server of panels' pages ended", "err", err)
		}
	}()
	return nil
}

// Host returns "127.0.0.1:PORT" after Listen succeeded, else "".
func (s *Server) Host() string {
	if s == nil || s.ln == nil {
		return ""
	}
	return s.ln.Addr().String()
}

// Origin returns the origin of pages, "" before Listen.
func (s *Server) Origin() string {
	if host := s.Host(); host != "" {
		return "http://" + host
	}
	return ""
}

// URL returns the address of the file entry of a panel, "" before Listen. A panel keeps its key while the
// program runs.
func (s *Server) URL(panel, entry string) string {
	if s.Host() == "" {
		return ""
	}
	return s.Origin() + "/" + s.key(panel) + "/" + escaped(entry)
}

func (s *Server) key(panel string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	key, ok := s.keys[panel]
	if !ok {
		var b [32]byte
		_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program instead
		key = base64.RawURLEncoding.EncodeToString(b[:])
		s.keys[panel], s.panels[key] = key, panel
	}
	return key
}

// SetWindowOrigin sets the window's origin, the only one that may frame a page. Before the first call, no
// origin may.
func (s *Server) SetWindowOrigin(origin string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.windowOrigin = origin
}

func (s *Server) frameAncestor() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.windowOrigin == "" {
		return "'none'"
	}
	return s.windowOrigin
}

func (s *Server) panelOf(key string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	panel, ok := s.panels[key]
	return panel, ok
}

// Close stops the server and waits up to a second for running requests.
func (s *Server) Close() error {
	if s.ln == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = s.http.Close()
	}
	<-s.done
	return err
}
