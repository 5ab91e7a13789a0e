package loop

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/llm/fixedcall"
	"sextant/backend/agent/loop/budget"
	"sextant/backend/agent/loop/naming"
	"sextant/backend/agent/loop/pictures"
	"sextant/backend/agent/loop/repetition"
	"sextant/backend/agent/loop/sourceset"
	"sextant/backend/agent/loop/typedhosts"
	"sextant/backend/agent/prompt"
	"sextant/backend/agent/toolcalls"
	"sextant/backend/store/diskspace"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

var errStopped = errors.New("stopped")

// turn is one run of the loop. Only its own goroutine uses it, except for callTool's workers.
type turn struct {
	loop    *Loop
	request TurnRequest
	id      string
	ctx     context.Context //nolint:containedctx // a turn is one operation

	running          *runningTurn
	adapter          toolcalls.Adapter
	isPilot          bool
	limits           Limits
	system           string
	messages         []chat.Message
	outside, private sourceset.Set
	typed            typedhosts.Typed
	repeats          repetition.Detector
	called           int
	rounds           int
	account          *budget.Account
	lastText         string
	lastInputTokens  int
	canReread        bool
	early            earlyCalls
	// toolsClosed is set when the goal allows no more tools; goalTools are the tools in the system prompt of a turn
	// with a goal.
	toolsClosed bool
	goalTools   []toolspec.Definition
	recordErr   error
	lineage     *lineage
	effects     effects
	// refusedWindow is the assumed context window after a request was refused as too long, else 0.
	refusedWindow int
	pictures      pictures.Cache
	serviceWindow int
}

// Outcome describes how a turn ended.
type Outcome struct {
	Conversation string
	Turn         string
	// Text is the assistant's last text.
	Text       string
	Status     chat.Status
	Error      string
	Suggestion string
	Rounds     int
	Calls      int
	Usage      chat.Usage
	// Bill is the total cost, with estimates where Usage was not reported. Budget is the setting of the budget that
	// ended the turn, else "".
	Bill   chat.Bill
	Budget string
}

type ending struct {
	status     chat.Status
	message    string
	suggestion string
	budget     string
}

func (t *turn) recordStart(ctx context.Context, fresh bool) error {
	before, err := t.loop.cfg.History.Messages(ctx, t.request.Conversation)
	if err != nil {
		return fmt.Errorf("reading the conversation: %w", err)
	}
	now := time.Now().UTC()
	a, err := t.startBranch(before, t.message(chat.RoleUser, t.request.Text))
	if err != nil {
		return err
	}
	created, err := t.conversation(ctx, fresh, len(before) == 0, now)
	if err != nil {
		return err
	}
	events := append(created, a.events...)
	var with []chat.Message
	if len(a.own) > 0 {
		with = t.attachmentNotes(t.request.Attachments)
	}
	for _, one := range with {
		events = append(events, t.event(event.MessageAdded, one))
	}
	for _, own := range a.own {
		events = append(events, t.event(event.MessageAdded, own))
		if w := t.request.fromQueue; w != nil {
			events = append(
				events,
				t.event(event.MessageTaken, event.TakenMessage{ID: w.ID, Message: own.ID, Asked: w.Asked}),
			)
		}
	}
	raised, err := t.openAccount(ctx)
	if err != nil {
		return err
	}
	events = append(
		append(events, raised...),
		t.event(event.TurnStarted, event.Turn{ID: t.id, Model: t.request.Model, Status: chat.StatusRunning}),
	)
	if err := t.loop.publish(ctx, events...); err != nil {
		return err
	}
	t.messages = append(append(a.before, with...), a.own...)
	for _, m := range t.messages {
		t.outside.Add(m.Outside...)
		t.private.Add(m.Private...)
	}
	return nil
}

func (t *turn) conversation(ctx context.Context, fresh, first bool, now time.Time) ([]event.Event, error) {
	c := chat.Conversation{
		ID: t.request.Conversation, Created: now, Title: t.request.Title, Folder: t.request.Folder,
	}
	if k := t.request.lineage; k != nil {
		c.Title, c.Parent, c.ParentCall = k.title, k.parent, k.call
	}
	kind := event.ConversationCreated
	if known, ok := t.loop.cfg.History.(ConversationReader); ok && !fresh {
		if old, err := known.Conversation(ctx, c.ID); err == nil {
			c, kind = old, event.ConversationUpdated
		}
		if c.Parent != "" || c.ParentCall != "" {
			return nil, ErrSubagent
		}
	} else if !fresh {
		if !first {
			return nil, nil
		}
		kind = event.ConversationUpdated
	}
	if c.Title != "" && c.Model == t.request.Model && kind != event.ConversationCreated {
		return nil, nil
	}
	if c.Title == "" {
		c.Title = naming.Title(t.request.Text)
	}
	c.Model, c.Status, c.Updated = t.request.Model, chat.StatusRunning, now
	return []event.Event{event.New(kind, c).InTurn(c.ID, "")}, nil
}

func (t *turn) run() Outcome {
	end := t.runRounds()
	if t.ctx.Err() != nil {
		end = ending{status: chat.StatusStopped}
	}
	bill, reported := t.account.Spent()
	data := event.Turn{
		ID: t.id, Model: t.request.Model, Status: end.status, Error: end.message,
		Suggestion: end.suggestion, Rounds: t.rounds, Usage: reported, Budget: end.budget,
		Unattended: t.request.UnattendedRun != "",
	}
	events := append(t.unreportedRound("rest"), t.holdQueue(end.status)...)
	events = append(events, t.event(event.TurnEnded, data))
	defer t.loop.release(t)
	if err := t.loop.publishOrQueue(t.ctx, t.request.Conversation, events...); err != nil && !diskspace.IsFull(err) {
		t.loop.cfg.Log.Error("end of turn not recorded", "turn", t.id, "err", err)
	}
	return Outcome{
		Conversation: t.request.Conversation, Turn: t.id, Text: t.lastText, Status: end.status, Error: end.message,
		Suggestion: end.suggestion, Rounds: t.rounds, Calls: t.called, Usage: reported,
		Bill: bill, Budget: end.budget,
	}
}

func (t *turn) runRounds() ending {
	if err := t.prepare(); err != nil {
		return endingFor(err)
	}
	if err := t.notePageContexts(); err != nil {
		return endingFor(err)
	}
	for {
		if _, err := t.takeSteering(); err != nil {
			return endingFor(err)
		}
		defs, err := t.callableTools()
		if err != nil {
			return endingFor(err)
		}
		listed, err := t.chooseTools(defs)
		if err != nil {
			return endingFor(err)
		}
		listed = t.withGoal(listed, defs)
		if err := t.compact(listed); err != nil {
			return endingFor(err)
		}
		if end := t.budgetEnd(); end != nil {
			return *end
		}
		res, message, err := t.askModel(listed, defs)
		if shorter, saveErr := t.summarizeAfterRefusal(listed, err); saveErr != nil {
			return endingFor(saveErr)
		} else if shorter {
			continue
		}
		if err != nil {
			return endingFor(err)
		}
		if t.request.Goal != nil {
			end, err := t.runGoalRound(defs, message, res)
			if err != nil {
				return endingFor(err)
			}
			if end != nil {
				return *end
			}
			continue
		}
		if len(message.Calls) == 0 {
			end := t.finish(res)
			if end.status != chat.StatusDone {
				return end
			}
			// Only a message that is still queued continues the turn: its author may be removing it at this moment.
			if more, err := t.takeSteering(); err != nil {
				return endingFor(err)
			} else if more {
				continue
			}
			return end
		}
		end, err := t.execute(defs, message, res.BrokenCalls)
		if err != nil {
			return endingFor(err)
		}
		if end != nil {
			return *end
		}
	}
}

func (t *turn) prepare() error {
	t.setLineage()
	t.isPilot = t.request.Model == llm.PilotName
	if t.isPilot {
		t.adapter.Model = t.loop.cfg.Pilot
		if t.request.Call != nil {
			t.adapter.Model = fixedcall.Model{Call: *t.request.Call}
		}
	} else {
		m, err := t.loop.cfg.Models.Open(t.request.Model)
		if err != nil {
			return fmt.Errorf("opening model %s: %w", t.request.Model, err)
		}
		t.adapter.Model = meteredModel{m, t}
		if err := t.detectFormat(); err != nil {
			return err
		}
		t.detectWindow() // now, because a local server usually has loaded the model for the probe
	}
	if t.system = t.request.System; t.system == "" {
		t.system = prompt.System(t.loop.cfg.Instructions(), t.loop.cfg.Notes())
	}
	return nil
}

// detectFormat determines how the model writes tool calls; usually the detector remembers it.
func (t *turn) detectFormat() error {
	if t.loop.cfg.Formats == nil {
		return nil
	}
	v, _, err := t.loop.cfg.Formats.Detect(t.ctx, t.request.Model, t.adapter.Model)
	if saveErr := t.recordSideCost("probe"); saveErr != nil {
		return saveErr
	}
	if second, ok := t.adapter.Model.(llm.FallbackReporter); err != nil && ok && second.HasFallback() &&
		t.ctx.Err() == nil {
		return nil // the fallback is asked with native calls
	}
	if err != nil {
		return fmt.Errorf("asking model %s how it calls tools: %w", t.request.Model, err)
	}
	t.adapter.Format = v.Format
	if v.FoundWeak {
		t.publishNote("", fmt.Sprintf("%s made no tool call in %d trials, so it can answer, but it can hardly act. "+
			"Choose a larger model, or one that is made for tool calls.", t.request.Model, v.Requests))
	}
	return nil
}

func (t *turn) finish(res llm.Response) ending {
	switch {
	case res.Stop == llm.StopLength:
		return ending{
			status:     chat.StatusLimit,
			message:    "The answer reached the model's length limit and ends early.",
			suggestion: "Send \"continue\" to go on.",
		}
	case res.Stop == llm.StopFilter:
		return ending{
			status:     chat.StatusFailed,
			message:    "The service's content filter ended the answer.",
			suggestion: "Ask in other words, or choose another model.",
		}
	case strings.TrimSpace(res.Text) == "":
		return ending{
			status:     chat.StatusFailed,
			message:    "The model gave an empty answer.",
			suggestion: "Send again, or choose another model.",
		}
	}
	return ending{status: chat.StatusDone}
}

func endingFor(err error) ending {
	if diskspace.IsFull(err) {
		return unsavedEnding(err)
	}
	var e *llm.Error
	var spent *budgetError
	switch {
	case errors.As(err, &spent):
		return spent.end
	case errors.As(err, &e):
		return ending{status: chat.StatusFailed, message: excerpt.Sentence(e.Message), suggestion: e.Suggestion}
	}
	return ending{
		status:     chat.StatusFailed,
		message:    excerpt.Sentence(err.Error()),
		suggestion: "Everything recorded so far is kept. Send again.",
	}
}

func (t *turn) event(k event.Kind, data any) event.Event {
	return event.New(k, data).InTurn(t.request.Conversation, t.id)
}

func (t *turn) message(role chat.Role, text string) chat.Message {
	return chat.Message{
		ID: naming.NewID("m"), Conversation: t.request.Conversation, Turn: t.id, Role: role, Text: text,
		Status: chat.StatusDone, Time: time.Now().UTC(),
	}
}

func (t *turn) panel() string {
	if t.request.Panel != "" {
		return t.request.Panel
	}
	return t.loop.cfg.ActivePanel()
}

func (t *turn) provenance() toolspec.Provenance {
	if t.request.lineage != nil {
		return t.subagentProvenance()
	}
	caller := t.request.Caller
	switch {
	case t.isPilot && (caller == "" || caller == toolspec.CallerModel):
		caller = toolspec.CallerPilot
	case caller == "":
		caller = toolspec.CallerModel
	}
	return toolspec.Provenance{
		Caller: caller, Conversation: t.request.Conversation, Turn: t.id, Session: t.request.Session,
		Interactive: t.request.Interactive, TypedHosts: t.typed.Hosts, TypedText: t.typed.Text,
		Outside: t.outside.List(), Private: t.private.List(), YesTo: t.request.YesTo,
		UnattendedRun: t.request.UnattendedRun,
	}
}
