// Package pages serves the pages of panels of kind webview and those of MCP servers: the second
// loopback origin (ARCHITECTURE 4). What it serves is written by strangers, so that it must be worth
// nothing to them: the origin has no API, no token, no cookies and no state, only GET and
// HEAD of files, each panel's below a key of 256 bits that is made anew for every run.
//
// A page is put into a frame with sandbox="allow-scripts", and every answer says the same
// in its Content-Security-Policy (policy.go), so that a page that is opened directly is
// opaque too. It may load its own files and what the manifest's ui.csp names among the
// hosts of its permissions, and nothing else. A script of ours (bridge/) stands first in
// each document (inject.go): it takes the port that the window hands over and speaks MCP
// Apps' messages on it.
//
// The room decides nothing about calls: those go from the window to the Pipeline.
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

// Source is what a panel's page consists of.
type Source struct {
	// Root is the folder of panels and Folder the panel's name in it.
	Root, Folder string
	// Grants are the origins that the page may reach beyond its own files.
	Grants Grants
	// Hidden are files of the folder, slash-separated, that no page gets.
	Hidden []string
	// Document is the whole page where there is no folder: that of an MCP server. Entry is its name.
	Document []byte
}

// Entry is the name of a page that is one document.
const Entry = "index.html"

// Config is what a Server needs.
type Config struct {
	// Source tells what panel's page consists of now; false when it has none.
	Source func(panel string) (Source, bool)
	Log    *slog.Logger
}

// Server is the second origin. Its methods may be called concurrently.
type Server struct {
	cfg  Config
	http *http.Server
	ln   net.Listener
	done chan struct{}

	mu     sync.Mutex
	keys   map[string]string // by panel
	panels map[string]string // by key
	shell  string
}

// New prepares a server; Listen opens it.
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

// Listen opens a free port of 127.0.0.1 and serves in the background until Close.
func (s *Server) Listen() error {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listening for panels' pages: %w", err)
	}
	s.ln = ln
	go func() {
		defer close(s.done)
		if err := s.http.Serve(ln); err != nil && !errors.Is(err, http.ErrServerClosed) {
			s.cfg.Log.Error("server of panels' pages ended", "error", err)
		}
	}()
	return nil
}

// Host is "127.0.0.1:PORT" once Listen succeeded, else "".
func (s *Server) Host() string {
	if s == nil || s.ln == nil {
		return ""
	}
	return s.ln.Addr().String()
}

// Origin is the address that the window's own policy lets frames come from, "" without one.
func (s *Server) Origin() string {
	if host := s.Host(); host != "" {
		return "http://" + host
	}
	return ""
}

// URL is the address of panel's file entry, "" while nothing listens. The same panel has
// the same key as long as the program runs.
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

// FramedBy names the window's origin, the only one that may frame a page; before, none may.
func (s *Server) FramedBy(origin string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shell = origin
}

func (s *Server) framer() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shell == "" {
		return "'none'"
	}
	return s.shell
}

func (s *Server) panelOf(key string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	panel, ok := s.panels[key]
	return panel, ok
}

// Close stops serving; open requests get a second.
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
