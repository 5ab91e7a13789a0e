// Package modelapi is the HTTP client of model services: it speaks their wire formats (OpenAI's chat completions and
// responses, Anthropic's messages), lists their models and asks for context windows.
//
// Retries, fallbacks and the choice of a service belong to package providers.
package modelapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"
	"unicode/utf8"

	"sextant/backend/agent/llm"
	"sextant/shared/chat"
)

const (
	maxErrorBody = 64 << 10
	// DefaultIdleTimeout is how long a stream may be silent. Without an accelerator, reading a long prompt
	// takes minutes before the first word.
	DefaultIdleTimeout = 5 * time.Minute
	usageTimeout       = 5 * time.Second
)

var errStalled = errors.New("nothing came for too long")

// Client calls one model at one endpoint. It sends each request once; the caller retries.
//
// Request bodies are built with the vendors' types (openai-go, anthropic-sdk-go). Client parses streams itself:
// those libraries skip lines and fields they do not know, and a skipped line may be part of a call.
type Client struct {
	Endpoint    Endpoint
	Model       string
	HTTP        *http.Client
	IdleTimeout time.Duration
	// PauseLimit is how long a stream may be silent once text or a call has begun; 0 is as long as IdleTimeout.
	PauseLimit time.Duration
}

type answerReader interface {
	read(e sseEvent, a *answer) error
}

// Format is the wire format of a service.
type Format string

// The wire formats. FormatAuto stands for the format that DetectFormat returns; a Client treats it as FormatChat.
const (
	FormatAuto      Format = "auto"
	FormatChat      Format = "chat"
	FormatResponses Format = "responses"
	FormatAnthropic Format = "anthropic"
)

// Formats returns the names of all formats, for settings.
func Formats() []string {
	return []string{string(FormatAuto), string(FormatChat), string(FormatResponses), string(FormatAnthropic)}
}

func (f Format) path() string {
	switch f {
	case FormatResponses:
		return "/responses"
	case FormatAnthropic:
		return "/messages"
	}
	return "/chat/completions"
}

func (f Format) body(m *Client, req llm.Request) (any, error) {
	switch f {
	case FormatResponses:
		return responsesBody(m, req)
	case FormatAnthropic:
		return anthropicBody(m, req)
	}
	return chatBody(m, req)
}

func (e Endpoint) reader() answerReader {
	switch e.Format {
	case FormatResponses:
		return &responsesReader{}
	case FormatAnthropic:
		return &anthropicReader{}
	}
	return &chatReader{readsCost: e.reportsCost()}
}

// authorize adds the headers that the format needs, with the key unless it is "".
func (f Format) authorize(req *http.Request, key string) {
	if f == FormatAnthropic {
		req.Header.Set("Anthropic-Version", anthropicVersion)
		if key != "" {
			req.Header.Set("X-Api-Key", key)
		}
		return
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
}

// Stream implements llm.Model.
func (c *Client) Stream(ctx context.Context, req llm.Request, onDelta func(llm.Delta)) (llm.Response, error) {
	req.Messages = withWireRoles(req.Messages)
	body, err := c.Endpoint.Format.body(c, req)
	if err != nil {
		return llm.Response{}, err
	}
	var raw bytes.Buffer
	out := json.NewEncoder(&raw)
	out.SetEscapeHTML(false) // no browser reads the request
	if err := out.Encode(body); err != nil {
		return llm.Response{}, fmt.Errorf("writing the request: %w", err)
	}
	watched, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	idle := time.AfterFunc(c.IdleTimeout, func() { cancel(errStalled) })
	defer idle.Stop()

	post, err := http.NewRequestWithContext(watched, http.MethodPost, c.Endpoint.BaseURL+c.Endpoint.Format.path(), &raw)
	if err != nil {
		return llm.Response{}, fmt.Errorf("asking the model: %w", err)
	}
	post.Header.Set("Content-Type", "application/json")
	post.Header.Set("Accept", "text/event-stream")
	c.Endpoint.Format.authorize(post, c.Endpoint.Key)
	res, err := c.HTTP.Do(post)
	if err != nil {
		if watched.Err() != nil {
			return llm.Response{}, c.stopError(watched, c.IdleTimeout)
		}
		return llm.Response{}, c.unreachable(err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		detail, _ := io.ReadAll(io.LimitReader(res.Body, maxErrorBody))
		if watched.Err() != nil {
			return llm.Response{}, c.stopError(watched, c.IdleTimeout)
		}
		return llm.Response{}, c.refusal(res.StatusCode, detail, retryAfter(res.Header, time.Now()))
	}
	return c.read(watched, res.Body, idle, onDelta)
}

// withWireRoles replaces roles that wire formats lack: Sextant's own messages are sent with the user's role.
func withWireRoles(messages []chat.Message) []chat.Message {
	out := slices.Clone(messages)
	for i, m := range out {
		if m.Role == chat.RoleNote || m.Role == chat.RoleSummary {
			out[i].Role = chat.RoleUser
		}
	}
	return out
}

// read reads the answer from body, whose reads fail when ctx is done. idle is the timer that cancels ctx; every event
// resets it.
func (c *Client) read(
	ctx context.Context,
	body io.Reader,
	idle *time.Timer,
	onDelta func(llm.Delta),
) (llm.Response, error) {
	a := &answer{onDelta: onDelta, silence: c.IdleTimeout}
	events, r := newSSEReader(body), c.Endpoint.reader()
	var err error
	for err == nil && !a.done {
		var e sseEvent
		if e, err = events.next(); err != nil {
			break
		}
		pieces := a.pieces
		if err = r.read(e, a); err == nil {
			err = a.checkSize()
		}
		if err == nil && a.pieces > pieces && !utf8.Valid(e.data) {
			// In text this would lose one character, but it would change a call.
			err = malformed("a piece of a call is not UTF-8")
		}
		a.silence = c.IdleTimeout
		switch {
		case a.complete:
			a.silence = min(a.silence, usageTimeout)
		case c.PauseLimit > 0 && (a.text.Len() > 0 || len(a.calls) > 0):
			a.silence = min(a.silence, c.PauseLimit)
		}
		idle.Reset(a.silence)
	}
	if err := c.verdict(ctx, err, a); err != nil {
		return a.partial(), err
	}
	res := a.response()
	if chat, ok := r.(*chatReader); ok {
		res.HasReasoningField = chat.hasReasoning
	}
	return res, nil
}

func (c *Client) verdict(ctx context.Context, err error, a *answer) error {
	stalled := errors.Is(context.Cause(ctx), errStalled)
	var own *llm.Error
	var fromService *serviceError
	switch {
	case ctx.Err() != nil && !stalled:
		return ctx.Err()
	case errors.As(err, &own):
		return own
	case errors.As(err, &fromService):
		return &llm.Error{
			Kind: llm.KindFailed,
			Message: c.Endpoint.Label + " ended the answer with an error" + withDetail(
				c.Endpoint.errorDetail(fromService.data),
			),
			Suggestion: "The text so far is kept. Send \"continue\" to go on, or choose another model.",
			Err:        llm.ErrServiceAborted,
			Retryable:  true,
		}
	case a.complete && !errors.Is(err, errMalformed):
		return nil
	case stalled:
		return c.stopError(ctx, a.silence)
	case err == nil || errors.Is(err, io.EOF):
		err = io.ErrUnexpectedEOF
	}
	return brokenOff(err)
}

// stopError returns an llm.Error if the stream was silent for too long, else the error of ctx.
func (c *Client) stopError(ctx context.Context, silence time.Duration) error {
	if !errors.Is(context.Cause(ctx), errStalled) {
		return ctx.Err()
	}
	return &llm.Error{
		Kind:       llm.KindStalled,
		Message:    fmt.Sprintf("%s sent nothing for %s. The text so far is kept", c.Endpoint.Label, silence),
		Suggestion: "Send \"continue\" to try again, or choose a smaller model.",
		Err:        errStalled,
	}
}

// errorDetail returns the message in an error body without the key, which some services repeat. The key is removed
// before the message is shortened, so that no part of it remains.
func (e Endpoint) errorDetail(body []byte) string {
	if len(e.Key) > 3 {
		body = bytes.ReplaceAll(body, []byte(e.Key), []byte("…"))
	}
	return errorText(body)
}
