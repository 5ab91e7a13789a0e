package llm

import (
	"errors"
	"time"
)

// ErrorKind is the kind of a provider's failure.
type ErrorKind string

// The kinds of failure.
const (
	// KindUnreachable: nothing answers at the address, or the provider is switched off or failed too often.
	KindUnreachable ErrorKind = "unreachable"
	// KindUnauthorized: the key is missing, wrong or not allowed to use the model.
	KindUnauthorized ErrorKind = "unauthorised"
	// KindNoModel: the provider has no model of that name.
	KindNoModel ErrorKind = "no_model"
	// KindRateLimited: the provider wants fewer requests, or the quota is used up.
	KindRateLimited ErrorKind = "rate_limited"
	// KindTooLong: the conversation is larger than the model can read.
	KindTooLong ErrorKind = "too_long"
	// KindInterrupted: the answer broke off; the text so far is kept.
	KindInterrupted ErrorKind = "cut"
	// KindStalled: the connection is open, but nothing came for too long.
	KindStalled ErrorKind = "stalled"
	// KindFailed: any other failure.
	KindFailed ErrorKind = "failed"
	// KindNotSupported: there is no such provider, or a model's name or base address is malformed.
	KindNotSupported ErrorKind = "not_supported"
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
