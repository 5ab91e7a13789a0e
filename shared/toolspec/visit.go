package toolspec

import "context"

// CallContext gives the Go handler of a built-in panel the call that it answers, and more ways to answer than an
// HTTP response. It is in the request's context; there is none when the request did not come from a call.
type Visit struct {
	// Call has validated arguments.
	Call Call
	// Output publishes output while the call runs; stream is "stdout" or "progress".
	Output func(stream, text string)
	// Answer, when it is set, is the call's outcome in place of the HTTP response.
	Answer *Result
}

type visitKey struct{}

// WithCallContext returns ctx for the handler that answers v's call.
func WithVisit(ctx context.Context, v *Visit) context.Context {
	return context.WithValue(ctx, visitKey{}, v)
}

// CallContextOf returns the CallContext of ctx, nil for none.
func VisitOf(ctx context.Context) *Visit {
	v, _ := ctx.Value(visitKey{}).(*Visit)
	return v
}
