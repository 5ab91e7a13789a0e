package llm

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"sextant/shared/chat"
)

const (
	// retries is how often a failed request is sent again, defaultPatience the first wait.
	retries         = 2
	defaultPatience = 500 * time.Millisecond
	// longestWait is how long a service is obeyed when it asks for patience.
	longestWait = 30 * time.Second
	// continued is how often an answer that broke off is gone on with.
	continued = 2
)

// goOn asks for the rest of an answer. It stands after what came of it.
const goOn = "(The connection broke here. Go on with the very next character of your answer: repeat nothing, and say nothing about the break. Calls that you had begun did not run; make them again.)"

// steady is a model with patience: it sends again what failed before a word came, goes on with an
// answer that broke off, and hands over to the fallback. Whatever it does it tells by a Note first.
type steady struct {
	registry *Registry
	name     string
	first    *client
}

// Place implements Placed. A service at its own address is known to have calls, but for OpenRouter,
// behind which there are models of all kinds.
func (s *steady) Place() (base string, native bool) {
	at := s.first.at
	return at.base, at.format == Anthropic || at.provider != providerOpenRouter && at.base == usualBase(at.provider)
}

// Backed reports whether another model would answer in this one's place.
func (s *steady) Backed() bool { return s.second() != nil }

// second is the fallback, nil when there is none that differs.
func (s *steady) second() *client {
	name := s.registry.fallback()
	if name == "" || name == s.name || name == PilotName {
		return nil
	}
	m, err := s.registry.client(name)
	if err != nil {
		s.registry.log.Warn("fallback not usable", "model", name, "error", err)
		return nil
	}
	return m
}

// Stream implements Model.
func (s *steady) Stream(ctx context.Context, req Request, onDelta func(Delta)) (Response, error) {
	var made ledger
	res, err := s.whole(ctx, req, &made, onDelta)
	res.Made, res.Usage = made, made.usage()
	return res, err
}

// whole asks until the answer is whole or that makes no sense any more; made is every request.
func (s *steady) whole(ctx context.Context, req Request, made *ledger, onDelta func(Delta)) (Response, error) {
	var sofar Response
	var broken error
	asked := req
	for again := 0; ; again++ {
		res, err := s.answered(ctx, asked, made, onDelta)
		spoke := res.Text != ""
		res.Text, res.Thought = sofar.Text+res.Text, sofar.Thought+res.Thought
		if err == nil || ctx.Err() != nil {
			return res, err
		}
		if broken != nil && !spoke {
			return res, broken // what ended the answer says more than why it could not be gone on with
		}
		if !spoke || req.Written || again == continued || KindOf(err) != Cut && !errors.Is(err, errCut) {
			return res, err
		}
		sofar, broken = res, err
		onDelta(Delta{Note: "The answer broke off. What came is kept, and the model is asked to go on."})
		asked = req
		asked.Messages = append(slices.Clone(req.Messages),
			chat.Message{Role: chat.RoleAssistant, Text: sofar.Text}, chat.Message{Role: chat.RoleUser, Text: goOn})
	}
}

// answered asks the model, and the fallback when nothing came of it.
func (s *steady) answered(ctx context.Context, req Request, made *ledger, onDelta func(Delta)) (Response, error) {
	res, err := s.tried(ctx, s.first, s.name, req, made, onDelta)
	if err == nil || ctx.Err() != nil || res.Text != "" || req.Alone {
		return res, err
	}
	var e *Error
	if !errors.As(err, &e) || e.Kind == TooLong || e.Kind == Failed && !e.again {
		return res, err
	}
	second := s.second()
	if second == nil {
		return res, err
	}
	name := second.at.provider + "/" + second.name
	onDelta(Delta{Note: fmt.Sprintf("%s. %s answers instead.", strings.TrimSuffix(e.Message, "."), name)})
	res, failed := s.tried(ctx, second, name, req, made, onDelta)
	res.By = name
	if failed == nil || ctx.Err() != nil || res.Text != "" {
		return res, failed
	}
	return res, &Error{
		Kind:       e.Kind,
		Message:    fmt.Sprintf("%s. The fallback %s failed too: %s", strings.TrimSuffix(e.Message, "."), name, failed.Error()),
		Suggestion: e.Suggestion,
		Err:        err,
	}
}

// tried asks m until something comes or it makes no sense to ask again.
func (s *steady) tried(ctx context.Context, m *client, name string, req Request, made *ledger, onDelta func(Delta)) (Response, error) {
	var res Response
	var err error
	for attempt := 0; ; attempt++ {
		if left := s.registry.breakers.closed(m.at.base); left > 0 {
			if err == nil {
				err = resting(m, left)
			}
			return res, err
		}
		asked := s.seen(m, req)
		res, err = made.asked(ctx, m, name, asked, onDelta)
		s.registry.breakers.note(m.at, err)
		if res.Reasoned {
			s.registry.thoughts.LoadOrStore(m.at.base+" "+m.name, true)
		}
		var e *Error
		if err == nil || ctx.Err() != nil || res.Text != "" || !errors.As(err, &e) {
			return res, err
		}
		if s.minded(m, asked.Thoughts, e) {
			continue
		}
		if s.blinded(m, req, e) {
			onDelta(Delta{Note: name + " takes no pictures, so they are left out."})
			continue
		}
		wait, ok := s.wait(e, attempt)
		if !ok {
			return res, err
		}
		onDelta(Delta{Note: fmt.Sprintf("%s. Trying again in %s, %d of %d.", strings.TrimSuffix(e.Message, "."), roughly(wait), attempt+1, retries)})
		if !pause(ctx, wait) {
			return res, ctx.Err()
		}
	}
}

// wait is how long to wait before the request is sent again; not ok when it is not.
func (s *steady) wait(e *Error, attempt int) (wait time.Duration, ok bool) {
	if !e.again || attempt >= retries {
		return 0, false
	}
	if e.wait > longestWait {
		e.Suggestion = fmt.Sprintf("The conversation is kept. It asks for %s of patience; send again after that, or choose another model.", roughly(e.wait))
		return 0, false
	}
	wait = s.registry.patience << attempt
	wait = wait/2 + rand.N(wait/2+1) //nolint:gosec // spreads requests, hides nothing
	if e.wait > 0 {
		wait = e.wait + rand.N(e.wait/10+1) //nolint:gosec // the same
	}
	return wait, true
}

// pause waits; false when ctx was done first.
func pause(ctx context.Context, wait time.Duration) bool {
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func roughly(d time.Duration) string {
	if d < time.Second {
		return "a moment"
	}
	return d.Round(time.Second).String()
}

func resting(m *client, left time.Duration) *Error {
	return &Error{
		Kind:       Unreachable,
		Message:    fmt.Sprintf("%s failed %d times in a row and is left alone for %s more", m.at.label, breaksAfter, roughly(left)),
		Suggestion: "The conversation is kept. Send again after that, or choose another model.",
		again:      false,
	}
}

// seen is req as m can take it: with its thoughts when it wants them, and without pictures once it has
// refused them.
func (s *steady) seen(m *client, req Request) Request {
	if wanted, known := s.registry.thoughts.Load(m.at.base + " " + m.name); known {
		req.Thoughts = wanted.(bool)
	}
	if _, blind := s.registry.blind.Load(m.at.base + " " + m.name); !blind || !hasImages(req) {
		return req
	}
	req.Messages = slices.Clone(req.Messages)
	for i := range req.Messages {
		if msg := &req.Messages[i]; len(msg.Images) > 0 {
			msg.Images = nil
			msg.Text += "\n(A picture stood here, which you cannot see.)"
		}
	}
	return req
}

// minded notes that m refused a request for the thoughts in it, or for those that it missed; false when
// it was something else.
func (s *steady) minded(m *client, had bool, e *Error) bool {
	if e.Kind != Failed || e.again || !strings.Contains(e.Message, "reasoning_content") {
		return false
	}
	key := m.at.base + " " + m.name
	if had {
		// Whatever it wants with them, they are not for it; known for good, so that this ends.
		was, _ := s.registry.thoughts.Swap(key, false)
		return was != false
	}
	_, before := s.registry.thoughts.LoadOrStore(key, true)
	return !before
}

// blinded notes that m refused req for its pictures; false when it was something else.
func (s *steady) blinded(m *client, req Request, e *Error) bool {
	if e.Kind != Failed && e.Kind != NoModel || e.again || !hasImages(req) {
		return false
	}
	said := strings.ToLower(e.Message)
	if !slices.ContainsFunc([]string{"image", "vision", "multimodal", "content type", "content must be a string"}, func(w string) bool { return strings.Contains(said, w) }) {
		return false
	}
	_, before := s.registry.blind.LoadOrStore(m.at.base+" "+m.name, true)
	return !before
}

func hasImages(req Request) bool {
	return slices.ContainsFunc(req.Messages, func(m chat.Message) bool { return len(m.Images) > 0 })
}
