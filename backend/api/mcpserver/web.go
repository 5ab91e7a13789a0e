package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Over HTTP a client of a revision before 2026-07-28 has a session, which is its guest. Later
// revisions have none, and each request stands for itself: there a guest is what its requests say
// of the client, its name, version and what it wants, and the session that its address names
// (?session=NAME). Two copies of one program that are to have tabs of their own name two.

// Headers and bounds of streamable HTTP.
const (
	versionHeader = "Mcp-Protocol-Version"
	sessionHeader = "Mcp-Session-Id"
	// maxRequest bounds a request's body.
	maxRequest = 4 << 20
	// maxLodgers bounds the guests over HTTP; who has been idle for longest leaves for a new one.
	// So many have a request under way at most, and then nobody comes in.
	maxLodgers = 64
	// idleFor is how long a guest without a request keeps its tabs.
	idleFor = 8 * time.Hour
)

// lodger is a guest over HTTP.
type lodger struct {
	// key is what its requests have in common, "" for one with a session.
	key    string
	server *sdk.Server
	host   *Host
	end    func()
	once   sync.Once
	// heard is true when a request was one of MCP: until then it takes nobody's place.
	heard atomic.Bool

	// Under the host's lock. session is what its requests name, "" for one without.
	session  string
	requests int
	used     time.Time
	idle     *time.Timer
}

type lodgerKey struct{}

// overHTTP prepares the SDK's two ways.
func (h *Host) overHTTP() {
	blank := sdk.NewServer(&sdk.Implementation{Name: "sextant"}, nil)
	of := func(r *http.Request) *sdk.Server {
		if l, ok := r.Context().Value(lodgerKey{}).(*lodger); ok {
			return l.server
		}
		return blank // of a request that has a session, only the revisions are asked
	}
	h.stateful = sdk.NewStreamableHTTPHandler(of, &sdk.StreamableHTTPOptions{SessionTimeout: idleFor, MaxRequestBodyBytes: maxRequest})
	h.stateless = sdk.NewStreamableHTTPHandler(of, &sdk.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true, MaxRequestBodyBytes: maxRequest})
}

// serveHTTP answers one request of streamable HTTP.
func (h *Host) serveHTTP(w http.ResponseWriter, r *http.Request, g Guest) {
	if r.Method == http.MethodGet && !strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
		w.Header().Set("Upgrade", protocolName)
		http.Error(w, "MCP is spoken here: by streamable HTTP, or join with: sextant mcp", http.StatusUpgradeRequired)
		return
	}
	if session := r.Header.Get(sessionHeader); session != "" {
		if l := h.at(session); l != nil {
			defer l.done()
		}
		h.stateful.ServeHTTP(w, r)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		http.Error(w, "The request is larger than 4 MB, or ended early.", http.StatusRequestEntityTooLarge)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if r.Method == http.MethodPost && stateless(r, body) {
		l := h.lodge(g, g.key(r, body))
		if l == nil {
			full(w)
			return
		}
		defer l.done()
		h.stateless.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), lodgerKey{}, l)))
		return
	}
	if r.Method != http.MethodPost || !bytes.Contains(body, []byte(`"initialize"`)) {
		h.stateful.ServeHTTP(w, r) // it says what is wrong
		return
	}
	h.move(w, r, g)
}

// move serves the request that begins a session; its guest stays until the session ends.
func (h *Host) move(w http.ResponseWriter, r *http.Request, g Guest) {
	l := h.lodge(g, "")
	if l == nil {
		full(w)
		return
	}
	h.stateful.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), lodgerKey{}, l)))
	began := false
	for session := range l.server.Sessions() {
		began = true
		h.mu.Lock()
		if h.closed {
			h.mu.Unlock()
			break
		}
		h.busy.Add(1)
		l.session = session.ID()
		h.mu.Unlock()
		go func() {
			defer h.busy.Done()
			_ = session.Wait() // however it ended
			l.leave()
		}()
	}
	if !began {
		l.leave()
		return
	}
	l.done()
}

// full tells a client that there is no place for it.
func full(w http.ResponseWriter) {
	http.Error(w, fmt.Sprintf("%d programs have a request under way, the most at a time. Try again when one of them has ended.", maxLodgers), http.StatusServiceUnavailable)
}

// at is the guest whose requests name session, with one request more; nil when there is none.
func (h *Host) at(session string) *lodger {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, l := range h.lodgers {
		if l.session == session {
			l.requests++
			return l
		}
	}
	return nil
}

// stateless reports whether a request is of a revision without sessions.
func stateless(r *http.Request, body []byte) bool {
	if version := r.Header.Get(versionHeader); version != "" {
		return version >= sinceStateless
	}
	return bytes.Contains(body, []byte(`"`+sdk.MetaKeyProtocolVersion+`"`))
}

// key is what the requests of one client have in common where there are no sessions.
func (g Guest) key(r *http.Request, body []byte) string {
	var said struct {
		Params struct {
			Meta map[string]json.RawMessage `json:"_meta"`
		} `json:"params"`
	}
	var info sdk.Implementation
	if json.Unmarshal(body, &said) == nil {
		_ = json.Unmarshal(said.Params.Meta[sdk.MetaKeyClientInfo], &info) // one without a name is a client too
	}
	return fmt.Sprintf("%q %q %q %q %q %t", short(info.Name, 80), short(info.Version, 40), short(r.URL.Query().Get("session"), 80), g.Tools, g.Panel, g.Share)
}

// lodge is the guest of key, a new one when there is none or key is "", and nil when there is no
// place for a new one.
func (h *Host) lodge(g Guest, key string) *lodger {
	h.mu.Lock()
	at := slices.IndexFunc(h.lodgers, func(l *lodger) bool { return key != "" && l.key == key })
	if at >= 0 {
		l := h.lodgers[at]
		l.requests++
		l.idle.Stop()
		h.mu.Unlock()
		return l
	}
	busy := 0
	for _, l := range h.lodgers {
		if l.requests > 0 {
			busy++
		}
	}
	if busy >= maxLodgers {
		h.mu.Unlock()
		return nil
	}
	ctx, cancel := context.WithCancel(h.ctx)
	cfg, farewell := h.welcome(ctx, g)
	d := newDoor(cfg)
	t := d.talk()
	t.life = ctx
	l := &lodger{key: key, host: h, requests: 1}
	t.heard = func() { l.heard.Store(true) }
	l.server = t.server()
	var telling sync.WaitGroup
	telling.Go(func() { t.announce(ctx, l.server) })
	l.end = func() {
		cancel()
		for session := range l.server.Sessions() {
			_ = session.Close()
		}
		d.close()
		telling.Wait()
		farewell()
	}
	l.idle = time.AfterFunc(idleFor, l.leaveIdle)
	l.idle.Stop()
	h.lodgers = append(h.lodgers, l)
	h.mu.Unlock()
	return l
}

// remove takes l from the list; the caller holds the lock, and ends what l has without it.
func (h *Host) remove(l *lodger) {
	l.idle.Stop()
	h.lodgers = slices.DeleteFunc(slices.Clone(h.lodgers), func(other *lodger) bool { return other == l })
}

// crowded is the guest that has been idle for longest when there are too many; the caller holds
// the lock.
func (h *Host) crowded() *lodger {
	if len(h.lodgers) <= maxLodgers {
		return nil
	}
	var oldest *lodger
	for _, l := range h.lodgers {
		if l.requests == 0 && (oldest == nil || l.used.Before(oldest.used)) {
			oldest = l
		}
	}
	return oldest
}

// done ends one request of l. One that MCP has nothing to do with leaves; another takes the place of
// who has been idle for longest. Nobody who is judged idle can have a request before it has left the
// list.
func (l *lodger) done() {
	h := l.host
	h.mu.Lock()
	l.requests--
	l.used = time.Now()
	var leaves *lodger
	switch {
	case l.requests == 0 && l.key != "" && !l.heard.Load():
		leaves = l
	default:
		// The SDK ends idle sessions by itself.
		if l.requests == 0 && l.key != "" && !h.closed {
			l.idle.Reset(idleFor)
		}
		leaves = h.crowded()
	}
	if leaves != nil {
		h.remove(leaves)
	}
	h.mu.Unlock()
	if leaves != nil {
		leaves.once.Do(leaves.end)
	}
}

func (l *lodger) leaveIdle() {
	l.host.mu.Lock()
	idle := l.requests == 0
	if idle {
		l.host.remove(l)
	}
	l.host.mu.Unlock()
	if idle {
		l.once.Do(l.end)
	}
}

// leave ends what the guest has and waits for it; later calls wait too.
func (l *lodger) leave() {
	l.host.mu.Lock()
	l.host.remove(l)
	l.host.mu.Unlock()
	l.once.Do(l.end)
}
