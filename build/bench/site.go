package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

const slowDelay = 150 * time.Millisecond

// Site serves the pages and records the effects of actions. A page gets a new key each time it is opened, so that
// the effects stay separate. It is safe for concurrent use.
type Site struct {
	pages  map[string]*Page
	server *http.Server
	port   string

	mu      sync.Mutex
	effects map[string][]string
	changed chan struct{} // closed and replaced at every effect
}

func newSite(ctx context.Context, pages map[string]*Page) (*Site, error) {
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		return nil, err
	}
	s := &Site{pages: pages, port: port, effects: map[string][]string{}, changed: make(chan struct{})}
	s.server = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.server.Serve(listener) }()
	return s, nil
}

// URL returns the address of a page with a key.
func (s *Site) URL(page, key string) string {
	return "http://127.0.0.1:" + s.port + "/" + page + "?k=" + key
}

func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	key := r.URL.Query().Get("k")
	w.Header().Set("Cache-Control", "no-store")
	switch path := strings.Trim(r.URL.Path, "/"); path {
	case "effects":
		s.serveEffects(w, r, key)
	case "slow":
		time.Sleep(slowDelay)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, `<button>Brought later</button>`)
	case "favicon.ico":
		w.WriteHeader(http.StatusNoContent)
	default:
		p := s.pages[path]
		if p == nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, s.render(p, key, r.Host))
	}
}

// render returns a page's complete HTML; its frames come from this server's other origin.
func (s *Site) render(p *Page, key, host string) string {
	other := "127.0.0.1"
	if strings.HasPrefix(host, other) {
		other = "localhost"
	}
	body := strings.NewReplacer("{key}", key, "{other}", "http://"+other+":"+s.port).Replace(p.HTML)
	return fmt.Sprintf(`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>%s</title>
<style>body{font:14px/20px sans-serif;margin:16px}label{display:block;margin:6px 0}iframe{display:block;margin:8px 0;border:1px solid #999}</style>
<script>
const socket = new WebSocket('ws://' + location.host + '/effects?k=%s'), unsent = []
socket.onopen = () => { while (unsent.length) socket.send(unsent.shift()) }
function effect(name) { if (socket.readyState === 1) socket.send(name); else unsent.push(name) }
</script></head><body>%s</body></html>`, p.Name, key, body)
}

// serveEffects receives a page's effects over a WebSocket, since systems may wait for requests to end.
func (s *Site) serveEffects(w http.ResponseWriter, r *http.Request, key string) {
	upgrader := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // Upgrade has answered
	}
	defer func() { _ = conn.Close() }()
	conn.SetReadLimit(1 << 16)
	for {
		_, effect, err := conn.ReadMessage()
		if err != nil {
			return
		}
		s.record(key, string(effect))
	}
}

func (s *Site) record(key, effect string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.effects[key] = append(s.effects[key], effect)
	close(s.changed)
	s.changed = make(chan struct{})
}

// WaitForEffect waits for the effect, but no longer than atMost, and reports whether it came. It also returns all
// effects recorded for the key.
func (s *Site) WaitForEffect(key, effect string, atMost time.Duration) (bool, []string) {
	timer := time.NewTimer(atMost)
	defer timer.Stop()
	for {
		s.mu.Lock()
		all, changed := s.effects[key], s.changed
		s.mu.Unlock()
		if slices.Contains(all, effect) {
			return true, all
		}
		select {
		case <-changed:
		case <-timer.C:
			return false, all
		}
	}
}

// Close stops the server.
func (s *Site) Close() { _ = s.server.Close() }
