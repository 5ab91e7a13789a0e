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

// lodger is a client over HTTP, with or without a session of the protocol.
type lodger struct {
	// key identifies the requests of a client without a session, "" for one with a session.
	key    string
	server *sdk.Server
	host   *Host
	door   *door
	end    func()
	once   sync.Once
	// heard is true after the first valid MCP request: until then it evicts nobody.
	heard atomic.Bool
	// seen is its id in the list of connected clients.
	seen string

	// Guarded by the host's lock. session is the id of its session, "" for one without.
	session string
	// requests counts those under way, streams those of them that only wait for notifications.
	requests, streams int
	used              time.Time
	idle              *time.Timer
}

// lodge begins a request of the client with that key. The client is new if it is unknown or key is "". The
// result is nil if there are too many busy clients.
func (h *Host) lodge(g Guest, key string, stream bool) *lodger {
	h.mu.Lock()
	at := slices.IndexFunc(h.lodgers, func(l *lodger) bool { return key != "" && l.key == key })
	if at >= 0 {
		l := h.lodgers[at]
		l.begin(stream)
		h.mu.Unlock()
		return l
	}
	busy := 0
	for _, l := range h.lodgers {
		if l.busy() {
			busy++
		}
	}
	if busy >= maxLodgers {
		h.mu.Unlock()
		return nil
	}
	ctx, cancel := context.WithCancel(h.ctx)
	cfg, onLeave := h.welcome(ctx, g)
	if g.Alone {
		cfg.Instructions = strings.TrimSpace(cfg.Instructions + " " + aloneInstructions)
	}
	d := newDoor(cfg)
	t := d.talk()
	t.life = ctx
	l := &lodger{key: key, host: h, door: d}
	heard := t.heard
	t.heard = func(req sdk.Request) {
		heard(req)
		if l.heard.CompareAndSwap(false, true) && stream {
			h.makeRoom(l) // a stream ends only when the client leaves
		}
	}
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
		onLeave()
	}
	l.idle = time.AfterFunc(idleFor, l.leaveIdle)
	l.begin(stream)
	l.used = time.Now()
	h.lodgers = append(h.lodgers, l)
	l.seen = h.arrives(overHTTP, g, d, cfg.Session, l.leave)
	h.mu.Unlock()
	return l
}

// begin counts a new request of l; the caller holds the lock.
func (l *lodger) begin(stream bool) {
	l.requests++
	if stream {
		l.streams++
	}
	l.idle.Stop()
}

// busy reports whether work is under way for l. A stream of notifications is no work; a question that its user
// must answer is. The caller holds the lock.
func (l *lodger) busy() bool { return l.requests > l.streams || l.door.parked.any() }

// remove takes l off the list; the caller holds the lock, and calls l.end without it.
func (h *Host) remove(l *lodger) {
	l.idle.Stop()
	delete(h.visitors, l.seen)
	h.lodgers = slices.DeleteFunc(slices.Clone(h.lodgers), func(other *lodger) bool { return other == l })
}

// crowded is the client other than stays that has been idle for longest, if there are too many; the caller
// holds the lock.
func (h *Host) crowded(stays *lodger) *lodger {
	if len(h.lodgers) <= maxLodgers {
		return nil
	}
	var oldest *lodger
	for _, l := range h.lodgers {
		if l != stays && !l.busy() && (oldest == nil || l.used.Before(oldest.used)) {
			oldest = l
		}
	}
	return oldest
}

// makeRoom disconnects the client that has been idle for longest, if there are too many. stays is not
// disconnected: its end would wait for the request that calls this.
func (h *Host) makeRoom(stays *lodger) {
	h.mu.Lock()
	leaves := h.crowded(stays)
	if leaves != nil {
		h.remove(leaves)
	}
	h.mu.Unlock()
	if leaves != nil {
		leaves.once.Do(leaves.end)
	}
}

// done ends one request of l. A client that sent no valid MCP request is removed; any other may evict the one
// that has been idle for longest. A client found idle gets no work before it is off the list.
func (l *lodger) done(stream bool) {
	h := l.host
	h.mu.Lock()
	l.requests--
	if stream {
		l.streams--
	}
	l.used = time.Now()
	noise := l.requests == 0 && l.key != "" && !l.heard.Load()
	switch {
	case noise:
		h.remove(l)
	case l.requests == 0 && l.key != "" && !h.closed && slices.Contains(h.lodgers, l):
		l.idle.Reset(idleFor) // the SDK ends idle sessions itself
	}
	h.mu.Unlock()
	if noise {
		l.once.Do(l.end)
		return
	}
	h.makeRoom(nil)
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

// leave disconnects the client and waits for the end of its work; later calls wait too.
func (l *lodger) leave() {
	l.host.mu.Lock()
	l.host.remove(l)
	l.host.mu.Unlock()
	l.once.Do(l.end)
}
