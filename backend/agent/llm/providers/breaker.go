package providers

import (
	"errors"
	"sync"
	"time"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/llm/modelapi"
)

const (
	// breaksAfter is how many failures in a row close an endpoint, breaksFor for how long.
	failureThreshold = 5
	cooldown         = 30 * time.Second
)

// breakers count the failures of each endpoint. One that fails again and again is left alone for a
// while: it is not helped by more requests, and each costs a person the wait. Then one request tries
// it. The zero value is ready.
type breakers struct {
	mu sync.Mutex
	at map[string]*breaker
}

type breaker struct {
	failures int
	until    time.Time
}

// closed is for how long nothing is to be sent to base; 0 means go ahead. When the time is over, the
// first who asks goes ahead and the others wait for what comes of it.
func (b *breakers) remaining(base string) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.at[base]
	if s == nil || s.failures < failureThreshold {
		return 0
	}
	now := time.Now()
	if left := s.until.Sub(now); left > 0 {
		return left
	}
	s.until = now.Add(cooldown)
	return 0
}

// note counts what came of a request to at. A refusal is the word of a service that is well; an
// answer that a person stopped says nothing.
func (b *breakers) record(at modelapi.Endpoint, err error) {
	var e *llm.Error
	if err != nil && !errors.As(err, &e) {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case err == nil || e.Kind != llm.Unreachable && e.Kind != llm.Stalled && e.Kind != llm.Cut && (e.Kind != llm.Failed || !e.Retryable):
		delete(b.at, at.BaseURL)
		return
	case at.Local && e.Kind == llm.Unreachable: // which costs nothing, and a person may start it at any time
		return
	}
	if b.at == nil {
		b.at = map[string]*breaker{}
	}
	s := b.at[at.BaseURL]
	if s == nil {
		s = &breaker{}
		b.at[at.BaseURL] = s
	}
	s.failures++
	s.until = time.Now().Add(cooldown)
}

// forgive forgets all failures.
func (b *breakers) reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.at = nil
}
