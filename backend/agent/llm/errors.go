package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
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
	again bool
	wait  time.Duration
}

// errCut is the cause of an answer that the service itself broke off.
var errCut = errors.New("the answer was broken off")

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

// refusal turns an HTTP status and the body's words into an Error.
func (m *client) refusal(status int, body []byte, wait time.Duration) *Error {
	e := m.refused(status, m.at.said(body))
	// 529 is Anthropic's word for too many requests of everybody.
	e.again = status == http.StatusRequestTimeout || status == http.StatusConflict ||
		status == http.StatusTooManyRequests || status >= http.StatusInternalServerError && status != http.StatusNotImplemented
	e.wait = wait
	return e
}

func (m *client) refused(status int, said string) *Error {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return &Error{
			Kind:       Unauthorised,
			Message:    m.at.label + " refused the key" + quoted(said),
			Suggestion: m.at.keyHint(),
		}
	case status == http.StatusNotFound && (said == "" || !strings.Contains(strings.ToLower(said), "model")):
		return &Error{
			Kind:       Failed,
			Message:    fmt.Sprintf("There is no chat endpoint at %s%s%s", m.at.base, m.at.format.path(), quoted(said)),
			Suggestion: "Check the base address, which usually ends in /v1, and the format that the service speaks.",
		}
	case status == http.StatusNotFound:
		return &Error{
			Kind:       NoModel,
			Message:    fmt.Sprintf("%s has no model %q%s", m.at.label, m.name, quoted(said)),
			Suggestion: m.at.modelHint(m.name),
		}
	case status == http.StatusTooManyRequests:
		return &Error{
			Kind:       RateLimited,
			Message:    m.at.label + " takes no more requests now" + quoted(said),
			Suggestion: "The conversation is kept. Wait a little and send again, or choose another model.",
		}
	case status == http.StatusRequestEntityTooLarge || status == http.StatusBadRequest && mentionsLength(said):
		return &Error{
			Kind:       TooLong,
			Message:    fmt.Sprintf("The conversation is too long for %s%s", m.name, quoted(said)),
			Suggestion: "Start a new conversation, or choose a model with a larger context.",
		}
	}
	return &Error{
		Kind:       Failed,
		Message:    fmt.Sprintf("%s answered %d%s", m.at.label, status, quoted(said)),
		Suggestion: "The conversation is kept. Send again, or choose another model.",
	}
}

// unreachable says which address did not answer.
func (m *client) unreachable(err error) *Error {
	return &Error{
		Kind:       Unreachable,
		Message:    fmt.Sprintf("%s cannot be reached at %s", m.at.label, m.at.base),
		Suggestion: m.at.startHint(),
		Err:        err,
		again:      !m.at.local, // here it is started or it is not
	}
}

// cut says that the answer is not whole.
func cut(err error) *Error {
	return &Error{
		Kind:       Cut,
		Message:    "The answer broke off before its end. The text so far is kept; no unfinished call ran",
		Suggestion: "Send \"continue\" to go on.",
		Err:        err,
		again:      true,
	}
}

// retryAfter is how long an error answer asks to wait, in seconds or until a date; 0 when it does not say.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.Atoi(h.Get("Retry-After-Ms")); err == nil && ms > 0 {
		return min(time.Duration(ms)*time.Millisecond, 24*time.Hour)
	}
	said := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(said, 64); err == nil && s > 0 && s < 86400 {
		return time.Duration(s * float64(time.Second))
	} else if err == nil && s > 0 {
		return 24 * time.Hour
	}
	if at, err := http.ParseTime(said); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}

func mentionsLength(said string) bool {
	s := strings.ToLower(said)
	for _, w := range []string{"context length", "context_length", "maximum context", "context window", "too many tokens", "context size", "prompt is too long"} {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// errorText digs the sentence out of the usual forms of error bodies.
func errorText(body []byte) string {
	var form struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(body, &form) != nil {
		return ""
	}
	var inner struct {
		Message string `json:"message"`
	}
	var words string
	for _, raw := range []json.RawMessage{form.Error, form.Detail} {
		if json.Unmarshal(raw, &words) == nil && words != "" {
			return oneLine(words)
		}
		if json.Unmarshal(raw, &inner) == nil && inner.Message != "" {
			return oneLine(inner.Message)
		}
	}
	return oneLine(form.Message)
}

func quoted(said string) string {
	if said == "" {
		return ""
	}
	return ": " + said
}

// oneLine keeps at most 300 bytes of s on one line.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " ")
	if len(s) <= 300 {
		return s
	}
	end := 300
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
