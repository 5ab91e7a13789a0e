package apps

import (
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	burst         = 40
	ratePerSecond = 10
	maxConcurrent = 8
	// maxServers bounds how many servers are counted; beyond it, counting starts again. The config has fewer.
	maxServers = 1024
)

// RequestLimiter bounds the rate and the number of concurrent requests of each server's apps. Its methods may
// be called concurrently; the zero value is ready.
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

// Begin starts a request of a server's app. The caller must call done at its end. The error says why the
// request may not start.
func (r *RequestLimiter) Begin(server string) (done func(), err error) {
	now := time.Now()
	if r.Now != nil {
		now = r.Now()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.servers == nil || len(r.servers) > maxServers {
		r.servers = map[string]*requestLimit{}
	}
	limit := r.servers[server]
	if limit == nil {
		limit = &requestLimit{rate: rate.NewLimiter(ratePerSecond, burst)}
		r.servers[server] = limit
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
		r.mu.Lock()
		defer r.mu.Unlock()
		limit.running--
	}), nil
}
