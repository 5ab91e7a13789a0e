package mcpserver

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// httpSession is a client over HTTP, with or without a session of the protocol.
type httpSession struct {
	// key identifies the requests of a client without a session, "" for one with a session.
	key    string
	server *sdk.Server
	host   *Host
	tools  *toolServer
	end    func()
	once   sync.Once
	// heard is true after the first valid MCP request: until then it evicts nobody.
	sawRequest atomic.Bool
	// clientID is its id in the list of connected clients.
	clientID string

	// Guarded by the host's lock. session is the id of its session, "" for one without.
	session string
	// requests counts those under way, streams those of them that only wait for notifications.
	requests, streams int
	lastUsed          time.Time
	idle              *time.Timer
}

// sessionFor begins a request of the client with that key. The client is new if it is unknown or key is "". The
// result is nil if there are too many busy clients.
func (h *Host) sessionFor(g JoinRequest, key string, stream bool) *httpSession {
	h.mu.Lock()
	at := slices.IndexFunc(h.httpSessions, func(l *httpSession) bool { return key != "" && l.key == key })
	if at >= 0 {
		l := h.httpSessions[at]
		l.beginRequest(stream)
		h.mu.Unlock()
		return l
	}
	busy := 0
	for _, l := range h.httpSessions {
		if l.busy() {
			busy++
		}
	}
	if busy >= maxHTTPSessions {
		h.mu.Unlock()
		return nil
	}
	ctx, cancel := context.WithCancel(h.ctx)
	cfg, onLeave := h.newConfig(ctx, g)
	if g.Unnamed {
		cfg.Instructions = strings.TrimSpace(cfg.Instructions + " " + sharedTabsInstructions)
	}
	d := newToolServer(cfg)
	t := d.endpoint()
	t.life = ctx
	l := &httpSession{key: key, host: h, tools: d}
	heard := t.onRequest
	t.onRequest = func(req sdk.Request) {
		heard(req)
		if l.sawRequest.CompareAndSwap(false, true) && stream {
			h.evictIdle(l) // a stream ends only when the client leaves
		}
	}
	l.server = t.newServer()
	var telling sync.WaitGroup
	telling.Go(func() { t.announce(ctx, l.server) })
	l.end = func() {
		cancel()
		for session := range l.server.Sessions() {
			_ = session.Close()
		}
		d.close()
		telling.Wait()
		onLeave()
	}
	l.idle = time.AfterFunc(idleFor, l.closeIdle)
	l.beginRequest(stream)
	l.lastUsed = time.Now()
	h.httpSessions = append(h.httpSessions, l)
	l.clientID = h.addClient(overHTTP, g, d, cfg.Session, l.close)
	h.mu.Unlock()
	return l
}

// beginRequest counts a new request of l; the caller holds the lock.
func (l *httpSession) beginRequest(stream bool) {
	l.requests++
	if stream {
		l.streams++
	}
	l.idle.Stop()
}

// busy reports whether work is under way for l. A stream of notifications is no work; a question that its user
// must answer is. The caller holds the lock.
func (l *httpSession) busy() bool { return l.requests > l.streams || l.tools.parkedCalls.waiting() }

// remove takes l off the list; the caller holds the lock, and calls l.end without it.
func (h *Host) remove(l *httpSession) {
	l.idle.Stop()
	delete(h.clients, l.clientID)
	h.httpSessions = slices.DeleteFunc(slices.Clone(h.httpSessions),
		func(other *httpSession) bool { return other == l })
}

// evictable is the client other than stays that has been idle for longest, if there are too many; the caller
// holds the lock.
func (h *Host) evictable(stays *httpSession) *httpSession {
	if len(h.httpSessions) <= maxHTTPSessions {
		return nil
	}
	var oldest *httpSession
	for _, l := range h.httpSessions {
		if l != stays && !l.busy() && (oldest == nil || l.lastUsed.Before(oldest.lastUsed)) {
			oldest = l
		}
	}
	return oldest
}

// evictIdle disconnects the client that has been idle for longest, if there are too many. stays is not
// disconnected: its end would wait for the request that calls this.
func (h *Host) evictIdle(stays *httpSession) {
	h.mu.Lock()
	leaves := h.evictable(stays)
	if leaves != nil {
		h.remove(leaves)
	}
	h.mu.Unlock()
	if leaves != nil {
		leaves.once.Do(leaves.end)
	}
}

// endRequest ends one request of l. A client that sent no valid MCP request is removed; any other may evict the one
// that has been idle for longest. A client found idle gets no work before it is off the list.
func (l *httpSession) endRequest(stream bool) {
	h := l.host
	h.mu.Lock()
	l.requests--
	if stream {
		l.streams--
	}
	l.lastUsed = time.Now()
	noise := l.requests == 0 && l.key != "" && !l.sawRequest.Load()
	switch {
	case noise:
		h.remove(l)
	case l.requests == 0 && l.key != "" && !h.closed && slices.Contains(h.httpSessions, l):
		l.idle.Reset(idleFor) // the SDK ends idle sessions itself
	}
	h.mu.Unlock()
	if noise {
		l.once.Do(l.end)
		return
	}
	h.evictIdle(nil)
}

func (l *httpSession) closeIdle() {
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

// close disconnects the client and waits for the end of its work; later calls wait too.
func (l *httpSession) close() {
	l.host.mu.Lock()
	l.host.remove(l)
	l.host.mu.Unlock()
	l.once.Do(l.end)
}
