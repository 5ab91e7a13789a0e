package providers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/llm/modelapi"
	"sextant/shared/chat"
)

const (
	retries           = 2
	defaultRetryDelay = 500 * time.Millisecond
	maxRetryDelay     = 30 * time.Second
	windowTimeout     = 2 * time.Second
	// windowTTL is the cache time of an answer: a local server may be restarted with another window.
	windowTTL = 10 * time.Minute
	// windowRetry is the cache time after a failure, or while the model is not loaded.
	windowRetry = time.Minute
	maxResumes  = 2
)

// resumePrompt asks for the rest of an answer. It follows the part that arrived.
const resumePrompt = "(The connection broke here. Go on with the very next character of your answer: repeat " +
	"nothing, and say nothing about the break. Calls that you had begun did not run; make them again.)"

// retryingModel retries requests that failed before the first word, resumes answers that broke off, and falls back to
// another model.
type retryingModel struct {
	registry *Registry
	name     string
	client   *modelapi.Client
}

// Endpoint implements llm.EndpointReporter.
func (r *retryingModel) Endpoint() (base string, native bool) {
	at := r.client.Endpoint
	return at.BaseURL, at.Format == modelapi.FormatAnthropic ||
		at.Provider != llm.ProviderOpenRouter && at.BaseURL == modelapi.DefaultBaseURL(at.Provider)
}

// HasFallback implements llm.FallbackReporter.
func (r *retryingModel) HasFallback() bool { return r.fallback() != nil }

func (r *retryingModel) fallback() *modelapi.Client {
	name := r.registry.fallback()
	if name == "" || name == r.name || name == llm.PilotName {
		return nil
	}
	m, err := r.registry.client(name)
	if err != nil {
		r.registry.log.Warn("fallback not usable", "model", name, "err", err)
		return nil
	}
	return m
}

// Stream implements llm.Model.
func (r *retryingModel) Stream(ctx context.Context, req llm.Request, onDelta func(llm.Delta)) (llm.Response, error) {
	var log requestLog
	res, err := r.streamAndResume(ctx, req, &log, onDelta)
	res.Requests, res.Usage = log, log.usage()
	return res, err
}

// streamAndResume sends requests until the answer is complete or cannot be continued. log records every request.
func (r *retryingModel) streamAndResume(
	ctx context.Context,
	req llm.Request,
	log *requestLog,
	onDelta func(llm.Delta),
) (llm.Response, error) {
	var soFar llm.Response
	var broken error
	sent := req
	for again := 0; ; again++ {
		res, err := r.streamWithFallback(ctx, sent, log, onDelta)
		hasText := res.Text != ""
		res.Text, res.Reasoning = soFar.Text+res.Text, soFar.Reasoning+res.Reasoning
		res.AnsweredBy = cmp.Or(res.AnsweredBy, soFar.AnsweredBy)
		if err == nil || ctx.Err() != nil {
			return res, err
		}
		if broken != nil && !hasText {
			return res, broken // the first failure tells more than the failed attempt to resume
		}
		if !hasText || req.CallsInText || again == maxResumes ||
			llm.KindOf(err) != llm.KindInterrupted && !errors.Is(err, llm.ErrServiceAborted) {
			return res, err
		}
		soFar, broken = res, err
		onDelta(llm.Delta{Note: "The answer broke off. The text so far is kept, and the model is asked to continue."})
		sent = req
		sent.Messages = append(
			slices.Clone(req.Messages),
			chat.Message{
				Role: chat.RoleAssistant,
				Text: soFar.Text,
			},
			chat.Message{Role: chat.RoleUser, Text: resumePrompt},
		)
	}
}

// streamWithFallback asks the model. If no text arrived and another model may succeed, it asks the fallback.
func (r *retryingModel) streamWithFallback(
	ctx context.Context,
	req llm.Request,
	log *requestLog,
	onDelta func(llm.Delta),
) (llm.Response, error) {
	res, err := r.streamWithRetries(ctx, r.client, r.name, req, log, onDelta)
	if err == nil || ctx.Err() != nil || res.Text != "" || req.NoFallback {
		return res, err
	}
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind == llm.KindTooLong || e.Kind == llm.KindFailed && !e.Retryable {
		return res, err
	}
	second := r.fallback()
	if second == nil {
		return res, err
	}
	name := second.Endpoint.Provider + "/" + second.Model
	onDelta(llm.Delta{Note: fmt.Sprintf("%s. %s answers instead.", strings.TrimSuffix(e.Message, "."), name)})
	res, failed := r.streamWithRetries(ctx, second, name, req, log, onDelta)
	res.AnsweredBy = name
	if failed == nil || ctx.Err() != nil || res.Text != "" {
		return res, failed
	}
	return res, &llm.Error{
		Kind: e.Kind,
		Message: fmt.Sprintf(
			"%s. The fallback %s failed too: %s",
			strings.TrimSuffix(e.Message, "."),
			name,
			failed.Error(),
		),
		Suggestion: e.Suggestion,
		Err:        err,
	}
}

func (r *retryingModel) streamWithRetries(
	ctx context.Context,
	m *modelapi.Client,
	name string,
	req llm.Request,
	log *requestLog,
	onDelta func(llm.Delta),
) (llm.Response, error) {
	var res llm.Response
	var err error
	for attempt := 0; ; attempt++ {
		if left := r.registry.breakers.remaining(m.Endpoint.BaseURL); left > 0 {
			if err == nil {
				err = circuitOpen(m, left)
			}
			return res, err
		}
		sent := r.adapt(m, req)
		res, err = log.send(ctx, m, name, sent, onDelta)
		r.registry.breakers.record(m.Endpoint, err)
		if res.HasReasoningField {
			r.registry.reasoning.LoadOrStore(m.Endpoint.BaseURL+" "+m.Model, true)
		}
		var e *llm.Error
		if err == nil || ctx.Err() != nil || res.Text != "" || !errors.As(err, &e) {
			return res, err
		}
		if r.learnReasoning(m, sent.SendReasoning, e) {
			continue
		}
		if r.learnNoImages(m, req, e) {
			onDelta(llm.Delta{Note: name + " does not accept images, so they are left out."})
			continue
		}
		wait, ok := r.backoff(e, attempt)
		if !ok {
			return res, err
		}
		onDelta(
			llm.Delta{
				Note: fmt.Sprintf(
					"%s. Trying again in %s, %d of %d.",
					strings.TrimSuffix(e.Message, "."),
					roundedDuration(wait),
					attempt+1,
					retries,
				),
			},
		)
		if !sleep(ctx, wait) {
			return res, ctx.Err()
		}
	}
}

// backoff returns the wait before the next attempt, or false if there should be none.
func (r *retryingModel) backoff(e *llm.Error, attempt int) (wait time.Duration, ok bool) {
	if !e.Retryable || attempt >= retries {
		return 0, false
	}
	if e.RetryAfter > maxRetryDelay {
		e.Suggestion = fmt.Sprintf(
			"The conversation is kept. It asks to wait %s; send again after that, or choose another model.",
			roundedDuration(e.RetryAfter),
		)
		return 0, false
	}
	wait = r.registry.retryDelay << attempt
	wait = wait/2 + rand.N(wait/2+1) //nolint:gosec // spreads requests; needs no secure randomness
	if e.RetryAfter > 0 {
		wait = e.RetryAfter + rand.N(e.RetryAfter/10+1) //nolint:gosec // the same
	}
	return wait, true
}

func sleep(ctx context.Context, wait time.Duration) bool {
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func roundedDuration(d time.Duration) string {
	if d < time.Second {
		return "a moment"
	}
	return d.Round(time.Second).String()
}

func circuitOpen(m *modelapi.Client, left time.Duration) *llm.Error {
	return &llm.Error{
		Kind: llm.KindUnreachable,
		Message: fmt.Sprintf(
			"%s failed %d times in a row; nothing is sent to it for another %s",
			m.Endpoint.Label,
			failureThreshold,
			roundedDuration(left),
		),
		Suggestion: "The conversation is kept. Send again after that, or choose another model.",
		Retryable:  false,
	}
}

// adapt changes req to what m accepts: with its reasoning if m wants it back, and without images if m has refused
// them.
func (r *retryingModel) adapt(m *modelapi.Client, req llm.Request) llm.Request {
	if wanted, known := r.registry.reasoning.Load(m.Endpoint.BaseURL + " " + m.Model); known {
		req.SendReasoning = wanted.(bool)
	}
	if _, blind := r.registry.noImages.Load(m.Endpoint.BaseURL + " " + m.Model); !blind || !hasImages(req) {
		return req
	}
	req.Messages = slices.Clone(req.Messages)
	for i := range req.Messages {
		if msg := &req.Messages[i]; len(msg.Images) > 0 {
			msg.Images = nil
			msg.Text += "\n(There was an image here, which you cannot see.)"
		}
	}
	return req
}

// learnReasoning records that m refused a request because reasoning was in it, or was missing. It returns false
// for other errors and if that was already known.
func (r *retryingModel) learnReasoning(m *modelapi.Client, had bool, e *llm.Error) bool {
	if e.Kind != llm.KindFailed || e.Retryable || !strings.Contains(e.Message, "reasoning_content") {
		return false
	}
	key := m.Endpoint.BaseURL + " " + m.Model
	if had {
		// The service rejected this form of reasoning. Storing that forever ends the retries.
		was, _ := r.registry.reasoning.Swap(key, false)
		return was != false
	}
	_, before := r.registry.reasoning.LoadOrStore(key, true)
	return !before
}

// learnNoImages records that m refused req because of its images. It returns false for other errors and if that
// was already known.
func (r *retryingModel) learnNoImages(m *modelapi.Client, req llm.Request, e *llm.Error) bool {
	if e.Kind != llm.KindFailed && e.Kind != llm.KindNoModel || e.Retryable || !hasImages(req) {
		return false
	}
	message := strings.ToLower(e.Message)
	if !slices.ContainsFunc(
		[]string{"image", "vision", "multimodal", "content type", "content must be a string"},
		func(w string) bool { return strings.Contains(message, w) },
	) {
		return false
	}
	_, before := r.registry.noImages.LoadOrStore(m.Endpoint.BaseURL+" "+m.Model, true)
	return !before
}

func hasImages(req llm.Request) bool {
	return slices.ContainsFunc(req.Messages, func(m chat.Message) bool { return len(m.Images) > 0 })
}

type cachedWindow struct {
	modelapi.Window
	until time.Time
}

// ContextWindow implements llm.ContextWindowReporter.
func (r *retryingModel) ContextWindow(ctx context.Context) (tokens int, loaded bool) {
	m := r.client
	key := m.Endpoint.BaseURL + " " + m.Model
	if v, ok := r.registry.windows.Load(key); ok {
		if cached := v.(cachedWindow); time.Now().Before(cached.until) {
			return cached.Tokens, cached.Loaded
		}
	}
	within, cancel := context.WithTimeout(ctx, windowTimeout)
	defer cancel()
	window, err := m.ContextWindow(within)
	if ctx.Err() != nil {
		return 0, false // the caller left, which says nothing about the service
	}
	ttl := windowTTL
	if err != nil {
		r.registry.log.Info("context window not reported", "model", r.name, "err", err)
	}
	if err != nil || window.Tokens > 0 && !window.Loaded {
		ttl = windowRetry
	}
	r.registry.windows.Store(key, cachedWindow{window, time.Now().Add(ttl)})
	return window.Tokens, window.Loaded
}
