package history

import (
	"sync"
	"time"
)

const (
	maxOwners = 128
	maxKnown  = 4096
)

// Stamp describes a file at the time it was read or written. Hash is "" for a file too large to hash.
type Stamp struct {
	Size     int64
	Modified time.Time
	Hash     string
}

type knowledge struct {
	mu     sync.Mutex
	owners map[string]map[string]Stamp
	order  []string
}

func (k *knowledge) set(owner, path string, s Stamp) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.owners == nil {
		k.owners = map[string]map[string]Stamp{}
	}
	if k.owners[owner] == nil {
		if len(k.order) >= maxOwners {
			delete(k.owners, k.order[0])
			k.order = k.order[1:]
		}
		k.owners[owner] = map[string]Stamp{}
		k.order = append(k.order, owner)
	}
	if _, known := k.owners[owner][path]; !known && len(k.owners[owner]) >= maxKnown {
		return // the file then counts as unread
	}
	k.owners[owner][path] = s
}

func (k *knowledge) get(owner, path string) (Stamp, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	s, ok := k.owners[owner][path]
	return s, ok
}

func (k *knowledge) forget(owner, path string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.owners[owner], path)
}

type locks struct {
	mu   sync.Mutex
	held map[string]*lock
}

type lock struct {
	sync.Mutex
	users int
}

func (l *locks) lock(path string) (release func()) {
	l.mu.Lock()
	if l.held == nil {
		l.held = map[string]*lock{}
	}
	k := l.held[path]
	if k == nil {
		k = &lock{}
		l.held[path] = k
	}
	k.users++
	l.mu.Unlock()
	k.Lock()
	return func() {
		k.Unlock()
		l.mu.Lock()
		defer l.mu.Unlock()
		if k.users--; k.users == 0 {
			delete(l.held, path)
		}
	}
}
