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

type httpSession struct {
	// key identifies the requests of a client without a session, "" for a client with one.
	key    string
	server *sdk.Server
	host   *JoinServer
	tools  *toolServer
	end    func()
	once   sync.Once
	// sawRequest is true after the first valid MCP request. Before it, the client does not evict another one.
	sawRequest atomic.Bool
	clientID   string

	// host.mu guards the fields below. session is the id of the client's session, "" for none.
	session string
	// requests counts the running requests, and streams those of them that only wait for notifications.
	requests, streams int
	lastUsed          time.Time
	idle              *time.Timer
}

// sessionFor begins a request of the client with that key. It makes a new client if there is none or if key is "".
// It returns nil if too many clients are busy.
func (j *JoinServer) sessionFor(join JoinRequest, key string, stream bool) *httpSession {
	j.mu.Lock()
	at := slices.IndexFunc(j.httpSessions, func(s *httpSession) bool { return key != "" && s.key == key })
	if at >= 0 {
		s := j.httpSessions[at]
		s.beginRequest(stream)
		j.mu.Unlock()
		return s
	}
	busy := 0
	for _, s := range j.httpSessions {
		if s.busy() {
			busy++
		}
	}
	if busy >= maxHTTPSessions {
		j.mu.Unlock()
		return nil
	}
	ctx, cancel := context.WithCancel(j.ctx)
	cfg, onLeave := j.newConfig(ctx, join)
	if join.Unnamed {
		cfg.Instructions = strings.TrimSpace(cfg.Instructions + " " + sharedTabsInstructions)
	}
	d := newToolServer(cfg)
	t := d.endpoint()
	t.life = ctx
	s := &httpSession{key: key, host: j, tools: d}
	noteRequest := t.onRequest
	t.onRequest = func(req sdk.Request) {
		noteRequest(req)
		if s.sawRequest.CompareAndSwap(false, true) && stream {
			j.evictIdle(s) // a stream ends only when the client leaves
		}
	}
	s.server = t.newServer()
	var announcing sync.WaitGroup
	announcing.Go(func() { t.announce(ctx, s.server) })
	s.end = func() {
		cancel()
		for session := range s.server.Sessions() {
			_ = session.Close()
		}
		d.close()
		announcing.Wait()
		onLeave()
	}
	s.idle = time.AfterFunc(idleFor, s.closeIdle)
	s.beginRequest(stream)
	s.lastUsed = time.Now()
	j.httpSessions = append(j.httpSessions, s)
	s.clientID = j.addClient(overHTTP, join, d, cfg.Session, s.close)
	j.mu.Unlock()
	return s
}

// beginRequest requires host.mu.
func (s *httpSession) beginRequest(stream bool) {
	s.requests++
	if stream {
		s.streams++
	}
	s.idle.Stop()
}

// busy ignores requests that only wait for notifications. It requires host.mu.
func (s *httpSession) busy() bool { return s.requests > s.streams || s.tools.parkedCalls.waiting() }

// remove requires j.mu. The caller must call s.end after unlocking it.
func (j *JoinServer) remove(s *httpSession) {
	s.idle.Stop()
	delete(j.clients, s.clientID)
	j.httpSessions = slices.DeleteFunc(slices.Clone(j.httpSessions),
		func(other *httpSession) bool { return other == s })
}

// evictable requires j.mu.
func (j *JoinServer) evictable(keep *httpSession) *httpSession {
	if len(j.httpSessions) <= maxHTTPSessions {
		return nil
	}
	var oldest *httpSession
	for _, s := range j.httpSessions {
		if s != keep && !s.busy() && (oldest == nil || s.lastUsed.Before(oldest.lastUsed)) {
			oldest = s
		}
	}
	return oldest
}

// evictIdle never disconnects keep, because ending that would wait for the request that calls evictIdle.
func (j *JoinServer) evictIdle(keep *httpSession) {
	j.mu.Lock()
	evicted := j.evictable(keep)
	if evicted != nil {
		j.remove(evicted)
	}
	j.mu.Unlock()
	if evicted != nil {
		evicted.once.Do(evicted.end)
	}
}

func (s *httpSession) endRequest(stream bool) {
	h := s.host
	h.mu.Lock()
	s.requests--
	if stream {
		s.streams--
	}
	s.lastUsed = time.Now()
	invalid := s.requests == 0 && s.key != "" && !s.sawRequest.Load()
	switch {
	case invalid:
		h.remove(s)
	case s.requests == 0 && s.key != "" && !h.closed && slices.Contains(h.httpSessions, s):
		s.idle.Reset(idleFor) // the SDK ends idle sessions itself
	}
	h.mu.Unlock()
	if invalid {
		s.once.Do(s.end)
		return
	}
	h.evictIdle(nil)
}

func (s *httpSession) closeIdle() {
	s.host.mu.Lock()
	idle := s.requests == 0
	if idle {
		s.host.remove(s)
	}
	s.host.mu.Unlock()
	if idle {
		s.once.Do(s.end)
	}
}

// close waits for the client's work to end, in later calls too.
func (s *httpSession) close() {
	s.host.mu.Lock()
	s.host.remove(s)
	s.host.mu.Unlock()
	s.once.Do(s.end)
}
