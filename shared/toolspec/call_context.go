package toolspec

import "context"

// CallContext tells the Go handler of a built-in panel which call it answers, and lets it do more than an HTTP response
// can. It is in the context of requests that come from a call, and only there.
type CallContext struct {
	// Call is the call with validated arguments.
	Call Call
	// Output publishes output while the call is running. stream is "stdout" or "progress".
	Output func(stream, text string)
	// Answer is the outcome of the call. If it is nil, the HTTP response is the outcome.
	Answer *Result
}

type callContextKey struct{}

// WithCallContext returns a copy of ctx that contains v.
func WithCallContext(ctx context.Context, v *CallContext) context.Context {
	return context.WithValue(ctx, callContextKey{}, v)
}

// CallContextOf returns the CallContext in ctx, nil for none.
func CallContextOf(ctx context.Context) *CallContext {
	v, _ := ctx.Value(callContextKey{}).(*CallContext)
	return v
}
