package toolspec

import "context"

// Visit is what the Go handler of a built-in panel may know of the call that it answers, beside
// the request: whose it is, and how to tell more than a response can. A handler of one of our own
// finds it in the request's context; there is none when the request came in another way.
type Visit struct {
	// Call has validated arguments.
	Call Call
	// Output tells what is worth telling while the call runs; stream is "stdout" or "progress".
	Output func(stream, text string)
	// Answer, when it is set, is the call's outcome in place of what the handler responded.
	Answer *Result
}

type visitKey struct{}

// WithVisit is ctx for the handler that answers v's call.
func WithVisit(ctx context.Context, v *Visit) context.Context {
	return context.WithValue(ctx, visitKey{}, v)
}

// VisitOf is the visit of ctx, nil for none.
func VisitOf(ctx context.Context) *Visit {
	v, _ := ctx.Value(visitKey{}).(*Visit)
	return v
}
