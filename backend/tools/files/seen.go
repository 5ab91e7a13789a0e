package files

import (
	"sync"
	"time"

	"sextant/shared/toolspec"
)

// Bounds of what is remembered of files read.
const (
	maxOwners = 128
	maxSeen   = 4096
)

// stamp is what a file was when it was read or written. hash is "" when it was too large.
type stamp struct {
	size     int64
	modified time.Time
	hash     string
}

// memory holds what each conversation has seen of files. Its zero value is ready; it may be
// used concurrently.
type memory struct {
	mu     sync.Mutex
	owners map[string]map[string]stamp
	order  []string
}

// owner is whose knowledge of files counts for a call: the conversation's, else the program's.
func owner(call toolspec.Call) string { return call.From.Owner() }

// saw notes that the owner knows the file at path as s.
func (m *memory) saw(owner, path string, s stamp) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.owners == nil {
		m.owners = map[string]map[string]stamp{}
	}
	if m.owners[owner] == nil {
		if len(m.order) >= maxOwners {
			delete(m.owners, m.order[0])
			m.order = m.order[1:]
		}
		m.owners[owner] = map[string]stamp{}
		m.order = append(m.order, owner)
	}
	if _, known := m.owners[owner][path]; !known && len(m.owners[owner]) >= maxSeen {
		return // the file then counts as not read, which is safe
	}
	m.owners[owner][path] = s
}

// known is what the owner saw of the file at path.
func (m *memory) known(owner, path string) (stamp, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.owners[owner][path]
	return s, ok
}

// forget drops the file at path from what the owner knows.
func (m *memory) forget(owner, path string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.owners[owner], path)
}

// locks lets one change of a file at a time through. Its zero value is ready.
type locks struct {
	mu   sync.Mutex
	held map[string]*lock
}

type lock struct {
	sync.Mutex
	waiting int
}

// hold locks path until the returned function is called.
func (l *locks) hold(path string) (release func()) {
	l.mu.Lock()
	if l.held == nil {
		l.held = map[string]*lock{}
	}
	k := l.held[path]
	if k == nil {
		k = &lock{}
		l.held[path] = k
	}
	k.waiting++
	l.mu.Unlock()
	k.Lock()
	return func() {
		k.Unlock()
		l.mu.Lock()
		defer l.mu.Unlock()
		if k.waiting--; k.waiting == 0 {
			delete(l.held, path)
		}
	}
}
