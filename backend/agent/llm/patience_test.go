package llm

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

func TestRetryAfterIsReadInAllItsForms(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for said, want := range map[string]time.Duration{
		"": 0, "0": 0, "-3": 0, "x": 0, "7": 7 * time.Second, "0.5": 500 * time.Millisecond, "1e300": 24 * time.Hour, "NaN": 0,
		now.Add(90 * time.Second).Format(http.TimeFormat): 90 * time.Second,
		now.Add(-time.Hour).Format(http.TimeFormat):       0,
	} {
		if got := retryAfter(http.Header{"Retry-After": {said}}, now); got != want {
			t.Errorf("%q: %s, want %s", said, got, want)
		}
	}
	if got := retryAfter(http.Header{"Retry-After-Ms": {"250"}, "Retry-After": {"9"}}, now); got != 250*time.Millisecond {
		t.Errorf("in milliseconds: %s", got)
	}
}

func TestWaitsGrowAreSpreadAndObeyTheServiceWithinReason(t *testing.T) {
	s := &steady{registry: &Registry{patience: time.Second}}
	for attempt, most := range []time.Duration{time.Second, 2 * time.Second} {
		seen := map[time.Duration]bool{}
		for range 100 {
			wait, ok := s.wait(&Error{again: true}, attempt)
			if !ok || wait < most/2 || wait > most {
				t.Fatalf("attempt %d: %s, %v", attempt, wait, ok)
			}
			seen[wait] = true
		}
		if len(seen) < 2 {
			t.Errorf("attempt %d: all wait the same time", attempt)
		}
	}
	if wait, ok := s.wait(&Error{again: true, wait: 20 * time.Second}, 0); !ok || wait < 20*time.Second || wait > 22*time.Second {
		t.Errorf("asked for 20 s: %s, %v", wait, ok)
	}
	for _, e := range []*Error{{again: true, wait: time.Minute}, {}} {
		if wait, ok := s.wait(e, 0); ok {
			t.Errorf("%+v is waited for %s", e, wait)
		}
	}
	if _, ok := s.wait(&Error{again: true}, retries); ok {
		t.Error("there is no end of trying")
	}
}

func TestABreakerOpensForOneWhenItsTimeIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b breakers
		at := endpoint{base: "http://a"}
		down := &Error{Kind: Unreachable, again: true}
		for i := range breaksAfter {
			if b.closed(at.base) != 0 {
				t.Fatalf("closed after %d failures", i)
			}
			b.note(at, down)
		}
		if left := b.closed(at.base); left != breaksFor || b.closed("http://b") != 0 {
			t.Errorf("closed for %s", left)
		}
		time.Sleep(breaksFor)
		if b.closed(at.base) != 0 || b.closed(at.base) == 0 {
			t.Error("not just one goes ahead")
		}
		b.note(at, errors.New("stopped by a person"))
		if b.closed(at.base) == 0 {
			t.Error("a stop opened it")
		}
		b.note(at, &Error{Kind: Unauthorised})
		if b.closed(at.base) != 0 {
			t.Error("a service that answers is left alone")
		}
		for range 2 * breaksAfter {
			b.note(endpoint{base: "http://a", local: true}, down)
		}
		if b.closed(at.base) != 0 {
			t.Error("a server that a person may start at any moment is left alone")
		}
	})
}
