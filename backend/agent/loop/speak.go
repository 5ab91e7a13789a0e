package loop

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"sextant/backend/agent/llm"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// mergeFor is how long pieces of text are collected before they are published.
const mergeFor = 50 * time.Millisecond

// speak asks the model once and records its answer. The message holds the calls with ids
// of our own: those of providers repeat (some number calls from 0 in every answer), and a
// call's id names it in the whole house. On an error the text so far is recorded.
//
// told are the tools that the question names, defs all that can be called.
func (t *turn) speak(told, defs []toolspec.Definition) (llm.Response, chat.Message, error) {
	t.rounds++
	req := llm.Request{System: t.system, Messages: t.prompt()}
	t.early = early{}
	message := chat.Message{
		ID: newID("m"), Conversation: t.ask.Conversation, Turn: t.id, Role: chat.RoleAssistant, Time: time.Now().UTC(),
	}
	ctx, stop := context.WithCancel(t.ctx)
	defer stop()
	pieces := func(kind event.Kind) *merger {
		return &merger{publish: func(s string) error {
			err := t.loop.publish(t.ctx, t.event(kind, event.Delta{Message: message.ID, Text: s}))
			if err != nil {
				stop() // what nobody can keep is not worth waiting and paying for
			}
			return err
		}}
	}
	text, thought := pieces(event.TextDelta), pieces(event.ThoughtDelta)
	asked := time.Now()
	res, err := t.voice.Stream(ctx, req, told, func(d llm.Delta) {
		if d.Thought == "" {
			thought.now() // it came before what comes now
		}
		thought.add(d.Thought)
		text.add(d.Text)
		t.tell(message.ID, d)
		if d.Call != nil {
			t.begin(defs, *d.Call)
		}
	})
	if lost := errors.Join(thought.close(), text.close()); lost != nil {
		err = lost
	}
	t.read = res.Usage.Input

	message.Text, message.Status = res.Text, chat.StatusDone
	switch {
	case t.ctx.Err() != nil:
		message.Status, err = chat.StatusStopped, t.ctx.Err()
	case err != nil:
		message.Status = chat.StatusFailed
	default:
		if message.Calls = t.calls(&res); len(message.Calls) > 0 {
			message.Thought = res.Thought
		}
	}
	if t.isPilot && message.Text != "" {
		// The pilot knows which of its sentences quote a page.
		message.Outside, message.Offers = res.Outside, res.Offers
	}
	round := event.Round{
		Number: t.rounds, Model: cmp.Or(res.By, t.ask.Model), Usage: res.Usage, Prompt: weighed(req, told),
		DurationMS: time.Since(asked).Milliseconds(), Answer: weight(message), Calls: len(message.Calls), Failed: err != nil,
		Requests: t.purse.take(), Payer: t.purse.payer(),
	}
	ended := []event.Event{t.event(event.RoundEnded, round)}
	if message.Text != "" || len(message.Calls) > 0 {
		ended = []event.Event{t.event(event.MessageAdded, message), ended[0]}
		t.messages = append(t.messages, message)
	}
	if strings.TrimSpace(message.Text) != "" {
		t.said = message.Text
	}
	if lost := t.record(ended...); lost != nil && err == nil {
		err = t.unable(message.Calls, lost)
	}
	return res, message, err
}

// tell publishes what is said about an answer that is being waited for. That it is not recorded
// ends no turn.
func (t *turn) tell(message string, d llm.Delta) {
	if d.Note == "" {
		return
	}
	if err := t.loop.publish(t.ctx, t.event(event.TurnNoted, event.Note{Message: message, Text: d.Note})); err != nil {
		t.loop.cfg.Log.Warn("note not recorded", "turn", t.id, "error", err)
	}
}

// weighed is what a question to the model is made of.
func weighed(req llm.Request, defs []toolspec.Definition) event.Prompt {
	p := event.Prompt{Talk: len(req.System)}
	for _, d := range defs {
		p.Definitions += d.PromptBytes()
	}
	for _, m := range req.Messages {
		if m.Role == chat.RoleTool {
			p.Results += weight(m)
		} else {
			p.Talk += weight(m)
		}
	}
	return p
}

// weight is the length of a message in bytes, with its calls.
func weight(m chat.Message) int {
	n := len(m.Text)
	for _, c := range m.Calls {
		n += len(c.Name) + len(c.Args)
	}
	return n
}

// calls gives the answer's calls our ids; broken ones stand among them without arguments.
func (t *turn) calls(res *llm.Response) []chat.ToolCall {
	var out []chat.ToolCall
	for i, c := range res.Calls {
		if len(c.Args) == 0 {
			c.Args = json.RawMessage("{}")
		}
		if kept, err := json.Marshal(c.Args); err == nil {
			c.Args = kept // as it comes back from the record: the next prompt repeats these bytes
		}
		id := newID("")
		if i < len(t.early.ids) {
			id = t.early.ids[i]
		}
		out = append(out, chat.ToolCall{ID: id, Name: c.Name, Args: c.Args, Signature: c.Signature})
	}
	for i, b := range res.Broken {
		if b.Name == "" {
			b.Name = "unnamed"
		}
		res.Broken[i].ID = newID("")
		out = append(out, chat.ToolCall{ID: res.Broken[i].ID, Name: b.Name, Args: json.RawMessage("{}")})
	}
	return out
}

// merger joins pieces of text so that at most one event every mergeFor is published. The
// first piece goes out at once: the wait for the first word is the one that is felt.
type merger struct {
	publish func(string) error

	mu      sync.Mutex
	pending strings.Builder
	last    time.Time
	timer   *time.Timer
	closed  bool
	err     error
}

func (m *merger) add(s string) {
	if s == "" {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pending.WriteString(s)
	wait := mergeFor - time.Since(m.last)
	if wait <= 0 {
		m.flush()
		return
	}
	if m.timer == nil {
		m.timer = time.AfterFunc(wait, m.due)
	}
}

// now publishes what is pending without waiting for more.
func (m *merger) now() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.closed {
		m.flush()
	}
}

func (m *merger) due() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.timer = nil
	if !m.closed {
		m.flush()
	}
}

// flush publishes what is pending; m.mu is held, which keeps pieces in order.
func (m *merger) flush() {
	if m.pending.Len() == 0 {
		return
	}
	if err := m.publish(m.pending.String()); err != nil && m.err == nil {
		m.err = fmt.Errorf("recording the answer: %w", err)
	}
	m.pending.Reset()
	m.last = time.Now()
}

// close publishes the rest; nothing is published after it returned.
func (m *merger) close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.flush()
	m.closed = true
	if m.timer != nil {
		m.timer.Stop()
		m.timer = nil
	}
	return m.err
}
