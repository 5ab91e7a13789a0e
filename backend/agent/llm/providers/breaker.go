package providers

import (
	"errors"
	"sync"
	"time"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/llm/modelapi"
)

const (
	failureThreshold = 5
	cooldown         = 30 * time.Second
)

// breakers contains a circuit breaker for each endpoint. An endpoint that keeps failing gets no requests for a
// while, because they would only make people wait. Then one request tests it. The zero value is ready.
type breakers struct {
	mu sync.Mutex
	at map[string]*breaker
}

type breaker struct {
	failures int
	until    time.Time
}

// remaining returns how long nothing may be sent to base, 0 if a request may be sent now. After the cooldown, one
// caller gets 0 and may test the endpoint. The others are refused for another cooldown, or until record counts a
// success.
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

// record counts the result of a request to an endpoint. A refusal comes from a working service, and so counts as a
// success. A stopped request and a local server that is not running do not count.
func (b *breakers) record(at modelapi.Endpoint, err error) {
	var e *llm.Error
	if err != nil && !errors.As(err, &e) {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case err == nil || e.Kind != llm.KindUnreachable && e.Kind != llm.KindStalled && e.Kind != llm.KindInterrupted &&
		(e.Kind != llm.KindFailed || !e.Retryable):
		delete(b.at, at.BaseURL)
		return
	case at.Local && e.Kind == llm.KindUnreachable: // costs nothing, and may be started at any time
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

func (b *breakers) reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.at = nil
}
