package loop

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"time"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/loop/sourceset"
	"sextant/backend/agent/prompt"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

//go:embed summary.md
var summaryPrompt string

const (
	summaryWithin = 2 * time.Minute
	summaryTokens = 1500
	// tailShare is the percentage of the window that stays verbatim after a summary.
	tailShare = 30
	// readShare is the percentage of the window that the text to summarize may fill.
	readShare = 60
	// undoneShare is how full the window gets, in percent, before a summary is made again after the user undid it.
	undoneShare = 95
)

// ErrNoSummary means that the conversation has no such summary.
var ErrNoSummary = errors.New("there is no such summary in this conversation")

// refusedShare is the assumed window after a request was refused as too long, in percent of that request.
const refusedShare = 50

// summarizeAfterRefusal summarizes, once per turn, after a service refused the request as too long because the
// window is smaller than assumed. It reports whether the request is shorter now.
func (t *turn) summarizeAfterRefusal(listed []toolspec.Definition, refused error) (bool, error) {
	if llm.KindOf(refused) != llm.KindTooLong || t.refusedWindow > 0 || t.isPilot {
		return false, nil
	}
	t.refusedWindow = max(1, min(t.window(), t.size(listed)*refusedShare/100))
	t.publishNote("",
		"The request was too long for the model. The beginning is being summarized; then it is sent again.")
	before := len(t.messages)
	err := t.compact(listed)
	return len(t.messages) > before, err
}

func (t *turn) size(listed []toolspec.Definition) int {
	size := len(t.system)
	for _, d := range listed {
		size += d.PromptBytes()
	}
	for _, m := range t.prompt() {
		size += prompt.MessageSize(m)
	}
	return size / toolspec.BytesPerToken
}

// compact summarizes the older part of the conversation if the next request would nearly fill the context window.
// The summary is recorded as a message; the replaced messages stay recorded too.
func (t *turn) compact(listed []toolspec.Definition) error {
	if t.isPilot {
		return nil
	}
	window, share := t.window(), t.loop.cfg.ContextShare()
	if prompt.IsSummaryUndone(t.messages) {
		share = undoneShare
	}
	if max(t.size(listed), t.lastInputTokens) <= window*share/100 {
		return nil
	}
	if t.budgetEnd() != nil {
		return nil // no further request follows
	}
	n := prompt.SplitPoint(t.messages, window*toolspec.BytesPerToken*tailShare/100)
	if n == 0 {
		return nil
	}
	old := t.messages[:n]
	done, err := t.summarize(prompt.OlderMessages(t.messages, n), window)
	if err != nil {
		return err
	}
	var outside, private sourceset.Set
	for _, m := range old {
		outside.Add(m.Outside...)
		private.Add(m.Private...)
	}
	m := t.message(chat.RoleSummary, prompt.Summary(old, window, done))
	m.CoversThrough, m.Outside, m.Private = old[n-1].ID, outside.List(), private.List()
	if err := t.loop.publish(t.ctx, t.event(event.MessageAdded, m)); err != nil {
		return err
	}
	t.messages = append(t.messages, m)
	t.lastInputTokens = 0
	return nil
}

// If the model gives no summary, it is made without a model. An error means that the turn was stopped or its cost could
// not be recorded.
func (t *turn) summarize(old []chat.Message, window int) (string, error) {
	ctx, cancel := context.WithTimeout(t.ctx, summaryWithin)
	defer cancel()
	text := prompt.Transcript(old, window*toolspec.BytesPerToken*readShare/100, t.promptText)
	res, err := t.adapter.Model.Stream(ctx, llm.Request{
		System: strings.TrimSpace(summaryPrompt), MaxTokens: summaryTokens,
		Messages: []chat.Message{{Role: chat.RoleUser, Text: "Sum up this beginning of the conversation.\n\n" + text}},
	}, func(llm.Delta) {})
	if saveErr := t.recordSideCost("summary"); saveErr != nil {
		return "", saveErr
	}
	if t.ctx.Err() != nil {
		return "", t.ctx.Err()
	}
	done := res.Text
	if strings.HasPrefix(strings.TrimSpace(done), "<think>") {
		_, done, _ = strings.Cut(done, "</think>")
	}
	if err == nil && strings.TrimSpace(done) != "" {
		return done, nil
	}
	t.loop.cfg.Log.Warn("the model gave no summary", "model", t.request.Model, "err", err)
	return prompt.FallbackSummary(old) + "\n(Written by Sextant, because the model gave no summary.)", nil
}

// promptText returns the text of m for a model, with outside text in a marked block.
func (t *turn) promptText(m chat.Message) string {
	if m.Role == chat.RoleSummary {
		words, done := prompt.SplitSummary(m.Text)
		if len(m.Outside) > 0 {
			done = prompt.MarkOutside(done, t.loop.nonce(m.Turn), m.Outside)
		}
		return words + "\n\nWhat was done and found:\n" + done
	}
	if !fromOutside(m) {
		return m.Text
	}
	return prompt.MarkOutside(m.Text, t.loop.nonce(m.Turn), m.Outside)
}

// fromOutside reports whether m is outside text. A user message counts as its author's own text, even with sources.
func fromOutside(m chat.Message) bool { return len(m.Outside) > 0 && m.Role != chat.RoleUser }

// UseSummary makes a summary active, or with use false sends the messages it replaced again. Both stay recorded.
// It fails with ErrBusy while a turn runs and with ErrNoSummary if the message is not a summary.
func (l *Loop) UseSummary(ctx context.Context, conversation, message string, use bool) error {
	return l.whileIdle(ctx, conversation, func() error {
		messages, err := l.cfg.History.Messages(ctx, conversation)
		if err != nil {
			return fmt.Errorf("reading the conversation: %w", err)
		}
		for _, m := range messages {
			if m.ID != message || m.Role != chat.RoleSummary {
				continue
			}
			m.Status = chat.StatusStopped
			if use {
				m.Status = chat.StatusDone
			}
			return l.publish(ctx, event.New(event.MessageAdded, m).InTurn(conversation, m.Turn))
		}
		return ErrNoSummary
	})
}
