package toolspec

import "context"

// CallContext gives the Go handler of a built-in panel the call that it answers, and more ways to answer than an
// HTTP response. It is in the request's context; there is none when the request did not come from a call.
type CallContext struct {
	// Call has validated arguments.
	Call Call
	// Output publishes output while the call runs; stream is "stdout" or "progress".
	Output func(stream, text string)
	// Answer, when it is set, is the call's outcome in place of the HTTP response.
	Answer *Result
}

type callContextKey struct{}

// WithCallContext returns ctx for the handler that answers v's call.
func WithCallContext(ctx context.Context, v *CallContext) context.Context {
	return context.WithValue(ctx, callContextKey{}, v)
}

// CallContextOf returns the CallContext of ctx, nil for none.
func CallContextOf(ctx context.Context) *CallContext {
	v, _ := ctx.Value(callContextKey{}).(*CallContext)
	return v
}
