package pipeline

import (
	"slices"
	"sync"

	"sextant/backend/policy"
)

const (
	maxHosts    = 4096
	maxSessions = 1024
)

type hosts struct {
	mu       sync.Mutex
	sessions map[string]*sessionHosts
}

type sessionHosts struct{ opened, used []string }

func newHosts() *hosts { return &hosts{sessions: map[string]*sessionHosts{}} }

func (h *hosts) of(session string) *sessionHosts {
	n := h.sessions[session]
	if n == nil {
		if len(h.sessions) >= maxSessions {
			// Dropping the hosts only means that the person is asked again.
			clear(h.sessions)
		}
		n = &sessionHosts{}
		h.sessions[session] = n
	}
	return n
}

func (h *hosts) open(session string, list []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := h.of(session)
	n.opened = addHosts(n.opened, list)
}

func (h *hosts) use(session string, list []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := h.of(session)
	n.used = addHosts(n.used, list)
}

func addHosts(to, more []string) []string {
	for _, host := range more {
		host = policy.NormalizeHost(host)
		if host != "" && len(to) < maxHosts && !slices.Contains(to, host) {
			to = append(to, host)
		}
	}
	return to
}

func (h *hosts) opened(session string) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.of(session).opened)
}

func (h *hosts) used(session string) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.of(session).used)
}
