package llm

import (
	"errors"
	"time"
)

// Kind tells failures of a provider apart.
type Kind string

// The kinds of failure.
const (
	// Unreachable: nothing answers at the address.
	Unreachable Kind = "unreachable"
	// Unauthorised: the key is missing, wrong or not allowed to use the model.
	Unauthorised Kind = "unauthorised"
	// NoModel: the provider has no model of that name.
	NoModel Kind = "no_model"
	// RateLimited: the provider wants fewer requests, or the quota is used up.
	RateLimited Kind = "rate_limited"
	// TooLong: the conversation is larger than the model can read.
	TooLong Kind = "too_long"
	// Cut: the answer broke off; the text so far is kept.
	Cut Kind = "cut"
	// Stalled: the connection stands, but nothing came for too long.
	Stalled Kind = "stalled"
	// Failed: the provider answered with another error.
	Failed Kind = "failed"
	// NotSupported: this version has no such provider, or the name is malformed.
	NotSupported Kind = "not_supported"
)

// Error is a failure that a person can do something about. Message says what happened,
// Suggestion what to do.
type Error struct {
	Kind       Kind
	Message    string
	Suggestion string
	// Err is the cause, nil when the provider itself said no.
	Err error

	// again is true when the same request may succeed a little later, wait what the service asked for.
	Retryable  bool
	RetryAfter time.Duration
}

// errCut is the cause of an answer that the service itself broke off.
var ErrBrokenOff = errors.New("the answer was broken off")

// Error implements error.
func (e *Error) Error() string { return e.Message }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// KindOf is the Kind of err, "" when it is not an Error of this package.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}
