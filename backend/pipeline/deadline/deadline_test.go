package deadline

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestPauseStopsOuterDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outer, stop := With(t.Context(), 10*time.Second)
		defer stop()
		inner, stopInner := With(outer, 5*time.Second)
		defer stopInner()
		time.Sleep(4 * time.Second)
		resume := Pause(inner)
		time.Sleep(time.Hour)
		if inner.Err() != nil || outer.Err() != nil {
			t.Fatal("the time ran on while a question waited")
		}
		resume()
		time.Sleep(999 * time.Millisecond)
		if inner.Err() != nil {
			t.Fatal("the inner one ended before its time was used up")
		}
		time.Sleep(2 * time.Millisecond)
		if !errors.Is(context.Cause(inner), ErrExceeded) || outer.Err() != nil {
			t.Fatalf("inner: %v, outer: %v", context.Cause(inner), outer.Err())
		}
		time.Sleep(5 * time.Second)
		if !errors.Is(context.Cause(outer), ErrExceeded) {
			t.Fatalf("outer: %v", context.Cause(outer))
		}
		Pause(outer)()
	})
}

func TestPauseWithoutDeadline(t *testing.T) {
	Pause(t.Context())()
}
