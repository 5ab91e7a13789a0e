package inflight

import (
	"context"
	"time"
)

// Grace is how long AwaitOutcome waits after its context has ended.
const Grace = 2 * time.Second

// Outcome is the result of a request.
type Outcome[T any] struct {
	Answer T
	Err    error
}

// Await runs ask with a deadline of limit and returns its outcome, or the error of the context if there is none
// Grace after the context ended. A server that reads nothing blocks the write, which has no deadline; then the
// goroutine of ask ends only with the session.
func Await[T any](ctx context.Context, limit time.Duration, ask func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	outcome := make(chan Outcome[T], 1)
	go func() {
		defer cancel()
		answer, err := ask(ctx)
		outcome <- Outcome[T]{answer, err}
	}()
	if o, ok := AwaitOutcome(ctx, outcome); ok {
		return o.Answer, o.Err
	}
	var none T
	return none, ctx.Err()
}

// AwaitOutcome waits for an outcome. After the end of ctx it waits for Grace, in which the request can tell the
// server that it was canceled. ok is false if there is no outcome by then.
func AwaitOutcome[T any](ctx context.Context, outcome <-chan Outcome[T]) (o Outcome[T], ok bool) {
	select {
	case o = <-outcome:
		return o, true
	case <-ctx.Done():
	}
	timer := time.NewTimer(Grace)
	defer timer.Stop()
	select {
	case o = <-outcome:
		return o, true
	case <-timer.C:
		return o, false
	}
}
