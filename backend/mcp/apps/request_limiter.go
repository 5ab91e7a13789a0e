package apps

import (
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Bounds of what the apps of one server may ask.
const (
	burst         = 40
	ratePerSecond = 10
	maxConcurrent = 8
	// maxServers bounds how many servers are counted. Names come from the config, so that it is not reached.
	maxServers = 1024
)

// RequestLimiter bounds how often, and how many at once, the apps of each server send requests: calls and
// reads. Its methods may be called concurrently; the zero value is ready.
type RequestLimiter struct {
	mu      sync.Mutex
	servers map[string]*requestLimit
	// Now is the clock, time.Now if nil.
	Now func() time.Time
}

type requestLimit struct {
	running int
	rate    *rate.Limiter
}

// Begin starts a request of a server's app; done must be called at its end. The error says why it may not
// start.
func (t *RequestLimiter) Begin(server string) (done func(), err error) {
	now := time.Now()
	if t.Now != nil {
		now = t.Now()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.servers == nil || len(t.servers) > maxServers {
		t.servers = map[string]*requestLimit{}
	}
	limit := t.servers[server]
	if limit == nil {
		limit = &requestLimit{rate: rate.NewLimiter(ratePerSecond, burst)}
		t.servers[server] = limit
	}
	switch {
	case limit.running >= maxConcurrent:
		return nil, fmt.Errorf("the app of %s already has %d requests running; wait for one to end", server,
			maxConcurrent)
	case !limit.rate.AllowN(now, 1):
		return nil, fmt.Errorf("the app of %s sends more than %d requests per second; wait, then try again", server,
			ratePerSecond)
	}
	limit.running++
	return sync.OnceFunc(func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		limit.running--
	}), nil
}
