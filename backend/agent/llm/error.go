package llm

import (
	"errors"
	"time"
)

// ErrorKind is the kind of a provider's failure.
type ErrorKind string

// The kinds of failure.
const (
	// Unreachable: nothing answers at the address, or the provider is switched off or failed too often.
	Unreachable ErrorKind = "unreachable"
	// Unauthorized: the key is missing, wrong or not allowed to use the model.
	Unauthorized ErrorKind = "unauthorised"
	// NoModel: the provider has no model of that name.
	NoModel ErrorKind = "no_model"
	// RateLimited: the provider wants fewer requests, or the quota is used up.
	RateLimited ErrorKind = "rate_limited"
	// TooLong: the conversation is larger than the model can read.
	TooLong ErrorKind = "too_long"
	// Interrupted: the answer broke off; the text so far is kept.
	Interrupted ErrorKind = "cut"
	// Stalled: the connection is open, but nothing came for too long.
	Stalled ErrorKind = "stalled"
	// Failed: any other failure.
	Failed ErrorKind = "failed"
	// NotSupported: there is no such provider, or a model's name or base address is malformed.
	NotSupported ErrorKind = "not_supported"
)

// Error is a failure that a person can do something about. Message says what happened, Suggestion what to do.
type Error struct {
	Kind       ErrorKind
	Message    string
	Suggestion string
	// Err is the cause, nil if there is no other error.
	Err error

	// Retryable says that the same request may succeed a little later. RetryAfter is the wait that the service asked
	// for, 0 for none.
	Retryable  bool
	RetryAfter time.Duration
}

// ErrServiceAborted is the cause when the service itself broke off an answer.
var ErrServiceAborted = errors.New("the answer was broken off")

// Error implements error.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the Kind of err, "" if it is not an Error.
func KindOf(err error) ErrorKind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}
