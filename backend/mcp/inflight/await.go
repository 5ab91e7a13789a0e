package inflight

import (
	"context"
	"time"
)

// Grace is how long a request that ended, or a connection that broke, may take to say why: a moment,
// which is long on a busy machine.
const Grace = 2 * time.Second

// Outcome is what a request came to.
type Outcome[T any] struct {
	Answer T
	Err    error
}

// Await runs ask, but does not wait for it longer than limit: a server that reads nothing blocks the
// write, which has no deadline. What is left of it ends with the session.
func Await[T any](ctx context.Context, limit time.Duration, ask func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	outcome := make(chan Outcome[T], 1)
	go func() {
		defer cancel()
		answer, err := ask(ctx)
		outcome <- Outcome[T]{answer, err}
	}()
	if o, ok := Settled(ctx, outcome); ok {
		return o.Answer, o.Err
	}
	var none T
	return none, ctx.Err()
}

// Settled waits for an outcome. After the end of ctx the request gets Grace to end properly, which tells
// the server; ok is false if it did not.
func Settled[T any](ctx context.Context, outcome <-chan Outcome[T]) (o Outcome[T], ok bool) {
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
