package loop

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/loop/naming"
	"sextant/backend/agent/loop/textbuffer"
	"sextant/backend/agent/prompt"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// The recorded calls get the loop's ids, because some providers reuse theirs. On an error the text so far is recorded.
// listed are the tools in the request, defs all tools that can be called.
func (t *turn) askModel(listed, defs []toolspec.Definition) (llm.Response, chat.Message, error) {
	t.rounds++
	req := llm.Request{System: t.system, Messages: t.prompt()}
	t.early = earlyCalls{}
	message := t.message(chat.RoleAssistant, "")
	ctx, stop := context.WithCancel(t.ctx)
	defer stop()
	pieces := func(kind event.Kind) *textbuffer.Buffer {
		return textbuffer.New(func(s string) error {
			err := t.loop.publish(t.ctx, t.event(kind, event.Delta{Message: message.ID, Text: s}))
			if err != nil {
				stop() // an answer that cannot be recorded is not worth its time and cost
			}
			return err
		})
	}
	text, thought := pieces(event.TextDelta), pieces(event.ReasoningDelta)
	start := time.Now()
	res, err := t.adapter.Stream(ctx, req, listed, func(d llm.Delta) {
		if d.Reasoning == "" {
			thought.Flush() // publish the reasoning before this
		}
		thought.Add(d.Reasoning)
		text.Add(d.Text)
		t.early.said.WriteString(d.Text)
		t.publishNote(message.ID, d.Note)
		if d.Call != nil {
			t.startEarly(defs, *d.Call)
		}
	})
	if saveErr := errors.Join(thought.Close(), text.Close()); saveErr != nil {
		err = saveErr
	}
	t.lastInputTokens = res.Usage.Input

	message.Text, message.Status = res.Text, chat.StatusDone
	switch {
	case t.ctx.Err() != nil:
		message.Status, err = chat.StatusStopped, t.ctx.Err()
	case err != nil:
		message.Status = chat.StatusFailed
	default:
		if message.Calls = t.assignCallIDs(&res); len(message.Calls) > 0 {
			message.Reasoning = res.Reasoning
		}
	}
	if t.isPilot && message.Text != "" {
		// The pilot sets these for sentences that quote a page.
		message.Outside, message.Offers = res.Outside, res.Offers
	}
	round := event.Round{
		Number: t.rounds, Model: cmp.Or(res.AnsweredBy, t.request.Model), Usage: res.Usage,
		Prompt:      prompt.PartSizes(req, listed),
		DurationMS:  time.Since(start).Milliseconds(),
		AnswerBytes: prompt.MessageSize(message), Calls: len(message.Calls), Failed: err != nil,
		Requests: t.account.TakeUnreported(), Payer: t.account.Payer(),
	}
	ended := []event.Event{t.event(event.RoundEnded, round)}
	if message.Text != "" || len(message.Calls) > 0 {
		ended = []event.Event{t.event(event.MessageAdded, message), ended[0]}
		t.messages = append(t.messages, message)
	}
	if strings.TrimSpace(message.Text) != "" {
		t.lastText = message.Text
	}
	if saveErr := t.record(ended...); saveErr != nil && err == nil {
		err = t.answerUnrecorded(message.Calls, saveErr)
	}
	return res, message, err
}

func (t *turn) publishNote(message, text string) {
	if text == "" {
		return
	}
	if err := t.loop.publish(t.ctx, t.event(event.TurnNoted, event.Note{Message: message, Text: text})); err != nil {
		t.loop.cfg.Log.Warn("note not recorded", "turn", t.id, "err", err)
	}
}

func (t *turn) assignCallIDs(res *llm.Response) []chat.ToolCall {
	var out []chat.ToolCall
	for i, c := range res.Calls {
		if len(c.Args) == 0 {
			c.Args = json.RawMessage("{}")
		}
		if raw, err := json.Marshal(c.Args); err == nil {
			c.Args = raw // as the record returns them, so that the next prompt repeats these bytes
		}
		id := naming.NewID("")
		if i < len(t.early.ids) {
			id = t.early.ids[i]
		}
		out = append(out, chat.ToolCall{ID: id, Name: c.Name, Args: c.Args, Signature: c.Signature})
	}
	for i, b := range res.BrokenCalls {
		if b.Name == "" {
			b.Name = "unnamed"
		}
		res.BrokenCalls[i].ID = naming.NewID("")
		out = append(out, chat.ToolCall{ID: res.BrokenCalls[i].ID, Name: b.Name, Args: json.RawMessage("{}")})
	}
	return out
}
