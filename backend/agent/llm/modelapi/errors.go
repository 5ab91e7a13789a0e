package modelapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"sextant/backend/agent/llm"
	"sextant/shared/excerpt"
)

func (c *Client) refusal(status int, body []byte, wait time.Duration) *llm.Error {
	e := c.errorForStatus(status, c.Endpoint.errorDetail(body))
	// 529 is Anthropic's status for an overloaded service.
	e.Retryable = status == http.StatusRequestTimeout || status == http.StatusConflict ||
		status == http.StatusTooManyRequests || status >= http.StatusInternalServerError &&
		status != http.StatusNotImplemented
	e.RetryAfter = wait
	return e
}

func (c *Client) errorForStatus(status int, detail string) *llm.Error {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return &llm.Error{
			Kind:       llm.KindUnauthorized,
			Message:    c.Endpoint.Label + " refused the key" + withDetail(detail),
			Suggestion: c.Endpoint.keyHint(),
		}
	case status == http.StatusNotFound && (detail == "" || !strings.Contains(strings.ToLower(detail), "model")):
		return &llm.Error{
			Kind: llm.KindFailed,
			Message: fmt.Sprintf(
				"There is no chat endpoint at %s%s%s",
				c.Endpoint.BaseURL,
				c.Endpoint.Format.path(),
				withDetail(detail),
			),
			Suggestion: "Check the base address, which usually ends in /v1, and the format that the service speaks.",
		}
	case status == http.StatusNotFound:
		return &llm.Error{
			Kind:       llm.KindNoModel,
			Message:    fmt.Sprintf("%s has no model %q%s", c.Endpoint.Label, c.Model, withDetail(detail)),
			Suggestion: c.Endpoint.modelHint(c.Model),
		}
	case status == http.StatusTooManyRequests:
		return &llm.Error{
			Kind:       llm.KindRateLimited,
			Message:    c.Endpoint.Label + " is limiting requests" + withDetail(detail),
			Suggestion: "The conversation is kept. Wait a moment and send again, or choose another model.",
		}
	case status == http.StatusRequestEntityTooLarge || status == http.StatusBadRequest && mentionsLength(detail):
		return &llm.Error{
			Kind:       llm.KindTooLong,
			Message:    fmt.Sprintf("The conversation is too long for %s%s", c.Model, withDetail(detail)),
			Suggestion: "Start a new conversation, or choose a model with a larger context.",
		}
	}
	return &llm.Error{
		Kind:       llm.KindFailed,
		Message:    fmt.Sprintf("%s answered %d%s", c.Endpoint.Label, status, withDetail(detail)),
		Suggestion: "The conversation is kept. Send again, or choose another model.",
	}
}

func (c *Client) unreachable(err error) *llm.Error {
	return &llm.Error{
		Kind:       llm.KindUnreachable,
		Message:    fmt.Sprintf("%s cannot be reached at %s", c.Endpoint.Label, c.Endpoint.BaseURL),
		Suggestion: c.Endpoint.startHint(),
		Err:        err,
		Retryable:  !c.Endpoint.Local, // a local server is either running or not
	}
}

func brokenOff(err error) *llm.Error {
	return &llm.Error{
		Kind:       llm.KindInterrupted,
		Message:    "The answer broke off before its end. The text so far is kept; no unfinished call ran",
		Suggestion: "Send \"continue\" to go on.",
		Err:        err,
		Retryable:  true,
	}
}

// retryAfter returns the wait that an error response asks for, in seconds or as a date; 0 for none.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.Atoi(h.Get("Retry-After-Ms")); err == nil && ms > 0 {
		return min(time.Duration(ms)*time.Millisecond, 24*time.Hour)
	}
	detail := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(detail, 64); err == nil && s > 0 && s < 86400 {
		return time.Duration(s * float64(time.Second))
	} else if err == nil && s > 0 {
		return 24 * time.Hour
	}
	if at, err := http.ParseTime(detail); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}

func mentionsLength(detail string) bool {
	s := strings.ToLower(detail)
	for _, w := range []string{
		"context length", "context_length", "maximum context", "context window",
		"too many tokens", "context size", "prompt is too long",
	} {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

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

func withDetail(detail string) string {
	if detail == "" {
		return ""
	}
	return ": " + detail
}

func oneLine(s string) string {
	return excerpt.TruncateBytes(strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " "), 300)
}
