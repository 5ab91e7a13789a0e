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

// lodger is a guest over HTTP.
type lodger struct {
	// key is what its requests have in common, "" for one with a session.
	key    string
	server *sdk.Server
	host   *Host
	door   *door
	end    func()
	once   sync.Once
	// heard is true when a request was one of MCP: until then it takes nobody's place.
	heard atomic.Bool
	// seen is its id among the guests that a person sees.
	seen string

	// Under the host's lock. session is what its requests name, "" for one without.
	session string
	// requests are those under way, streams those of them on which it only waits for news.
	requests, streams int
	used              time.Time
	idle              *time.Timer
}

// lodge is the guest of key, a new one when there is none or key is "", and nil when there is no
// place for a new one. It has one request more then, which is a stream or work.
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
	cfg, farewell := h.welcome(ctx, g)
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
			h.makeRoom(l) // its request ends when it leaves
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
		farewell()
	}
	l.idle = time.AfterFunc(idleFor, l.leaveIdle)
	l.begin(stream)
	l.used = time.Now()
	h.lodgers = append(h.lodgers, l)
	l.seen = h.arrives(overHTTP, g, d, cfg.Session, l.leave)
	h.mu.Unlock()
	return l
}

// begin is one request more of l; the caller holds the lock.
func (l *lodger) begin(stream bool) {
	l.requests++
	if stream {
		l.streams++
	}
	l.idle.Stop()
}

// busy reports whether something is under way for l: a stream on which it waits for news is
// nothing, a question that its person has to answer is. The caller holds the lock.
func (l *lodger) busy() bool { return l.requests > l.streams || l.door.parked.any() }

// remove takes l from the list; the caller holds the lock, and ends what l has without it.
func (h *Host) remove(l *lodger) {
	l.idle.Stop()
	delete(h.visitors, l.seen)
	h.lodgers = slices.DeleteFunc(slices.Clone(h.lodgers), func(other *lodger) bool { return other == l })
}

// crowded is the guest that has been idle for longest when there are too many, whether it waits for
// news or not, and is not stays; the caller holds the lock.
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

// makeRoom sends away who has been idle for longest, when there are too many. Who calls it from a
// request of its own stays: its end would wait for this very request.
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

// done ends one request of l. One that MCP has nothing to do with leaves; another takes the place of
// who has been idle for longest. Nobody who is judged idle can have work before it has left the list.
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
		l.idle.Reset(idleFor) // the SDK ends idle sessions by itself
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

// leave ends what the guest has and waits for it; later calls wait too.
func (l *lodger) leave() {
	l.host.mu.Lock()
	l.host.remove(l)
	l.host.mu.Unlock()
	l.once.Do(l.end)
}
