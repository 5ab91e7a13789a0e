package providers

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/llm/modelapi"
)

func TestBackoff(t *testing.T) {
	s := &retryingModel{registry: &Registry{retryDelay: time.Second}}
	for attempt, most := range []time.Duration{time.Second, 2 * time.Second} {
		seen := map[time.Duration]bool{}
		for range 100 {
			wait, ok := s.backoff(&llm.Error{Retryable: true}, attempt)
			if !ok || wait < most/2 || wait > most {
				t.Fatalf("attempt %d: %s, %v", attempt, wait, ok)
			}
			seen[wait] = true
		}
		if len(seen) < 2 {
			t.Errorf("attempt %d: all wait the same time", attempt)
		}
	}
	if wait, ok := s.backoff(&llm.Error{Retryable: true, RetryAfter: 20 * time.Second}, 0); !ok ||
		wait < 20*time.Second ||
		wait > 22*time.Second {
		t.Errorf("asked for 20 s: %s, %v", wait, ok)
	}
	for _, e := range []*llm.Error{{Retryable: true, RetryAfter: time.Minute}, {}} {
		if wait, ok := s.backoff(e, 0); ok {
			t.Errorf("%+v is waited for %s", e, wait)
		}
	}
	if _, ok := s.backoff(&llm.Error{Retryable: true}, retries); ok {
		t.Error("there is no end of trying")
	}
}

func TestBreakerHalfOpensAfterCooldown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b breakers
		at := modelapi.Endpoint{BaseURL: "http://a"}
		down := &llm.Error{Kind: llm.KindUnreachable, Retryable: true}
		for i := range failureThreshold {
			if b.remaining(at.BaseURL) != 0 {
				t.Fatalf("closed after %d failures", i)
			}
			b.record(at, down)
		}
		if left := b.remaining(at.BaseURL); left != cooldown || b.remaining("http://b") != 0 {
			t.Errorf("closed for %s", left)
		}
		time.Sleep(cooldown)
		if b.remaining(at.BaseURL) != 0 || b.remaining(at.BaseURL) == 0 {
			t.Error("not just one goes ahead")
		}
		b.record(at, errors.New("stopped by a person"))
		if b.remaining(at.BaseURL) == 0 {
			t.Error("a stop opened it")
		}
		b.record(at, &llm.Error{Kind: llm.KindUnauthorized})
		if b.remaining(at.BaseURL) != 0 {
			t.Error("a service that answers is left alone")
		}
		for range 2 * failureThreshold {
			b.record(modelapi.Endpoint{BaseURL: "http://a", Local: true}, down)
		}
		if b.remaining(at.BaseURL) != 0 {
			t.Error("a server that a person may start at any moment is left alone")
		}
	})
}
