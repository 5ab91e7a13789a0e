package loop

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/loop/naming"
	"sextant/backend/agent/loop/repetition"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// Queue returns the messages waiting in a conversation, in the order in which they were sent. Only events change
// the queue.
type Queue interface {
	WaitingMessages(ctx context.Context, conversation string) ([]event.WaitingMessage, error)
}

// MaxWaitingMessages limits the messages waiting in one conversation.
const MaxWaitingMessages = 20

// Errors of operations on waiting messages.
var (
	// ErrNotWaiting means that the message was already sent or dropped.
	ErrNotWaiting = errors.New("this message is no longer waiting: it was sent or removed")
	// ErrQueueFull means that MaxWaitingMessages messages are waiting.
	ErrQueueFull = errors.New("20 messages are already waiting in this conversation; remove one, or wait until some " +
		"are sent")
	// ErrNotOwner means that a program tried to change a person's message.
	ErrNotOwner = errors.New("a program may only change messages that a program sent")
)

// SendResult contains the turn that a message began, or the id under which it waits.
type SendResult struct {
	Turn      string
	WaitingID string
}

// Send begins a turn like Start. If a turn runs in the conversation, the message waits for the next safe point of that
// turn, or for the turn after it, as when says. It waits for the turn after it if the running turn is the pilot's or
// another caller's. Errors are those of Start, ErrQueueFull and ErrSubagent.
func (l *Loop) Send(ctx context.Context, request TurnRequest, when event.Moment) (SendResult, error) {
	for {
		turn, err := l.Start(ctx, request)
		if !errors.Is(err, ErrBusy) || l.cfg.Queue == nil {
			return SendResult{Turn: turn}, err
		}
		w, err := l.enqueue(ctx, request, when)
		if w != "" || err != nil {
			return SendResult{WaitingID: w}, err
		}
	}
}

// enqueue records the message as waiting. It returns "" if no turn runs any more.
func (l *Loop) enqueue(ctx context.Context, request TurnRequest, when event.Moment) (string, error) {
	l.queue.Lock()
	defer l.queue.Unlock()
	l.mu.Lock()
	s, taken := l.running[request.Conversation]
	taken = taken && !s.ending
	if taken && (s.request.Model == llm.PilotName || caller(s.request) != caller(request)) {
		// The pilot finishes a command before it reads the next message. And a program's message never becomes part
		// of a person's turn, or the reverse.
		when = event.MomentNext
	}
	l.mu.Unlock()
	switch {
	case !taken:
		return "", nil
	case s.request.lineage != nil:
		return "", ErrSubagent
	case s.request.Text == "":
		return "", ErrBusy // the conversation is busy without a turn, so nothing would start the waiting message
	}
	list, err := l.cfg.Queue.WaitingMessages(ctx, request.Conversation)
	if err != nil {
		return "", err
	}
	if len(list) >= MaxWaitingMessages {
		return "", ErrQueueFull
	}
	if when != event.MomentNow {
		when = event.MomentNext
	}
	if request.Model == "" {
		request.Model = llm.PilotName
	}
	w := event.WaitingMessage{
		ID: naming.NewID("w"), Text: strings.TrimSpace(request.Text), When: when, Model: request.Model,
		Panel: request.Panel, Attachments: request.Attachments, Sources: request.Sources,
		Caller: caller(request), Interactive: request.Interactive, Asked: time.Now().UTC(),
	}
	return w.ID, l.publish(ctx, event.New(event.MessageWaiting, w).InTurn(request.Conversation, ""))
}

func caller(request TurnRequest) toolspec.Caller {
	if request.Caller == "" {
		return toolspec.CallerModel
	}
	return request.Caller
}

// UpdateWaiting changes the text or moment of a waiting message; "" leaves it unchanged.
func (l *Loop) UpdateWaiting(
	ctx context.Context,
	conversation, id string,
	by toolspec.Caller,
	text string,
	when event.Moment,
) (event.WaitingMessage, error) {
	l.queue.Lock()
	defer l.queue.Unlock()
	if err := l.saveUnsaved(ctx, conversation); err != nil {
		return event.WaitingMessage{}, err
	}
	w, err := l.findWaiting(ctx, conversation, id, by)
	if err != nil {
		return w, err
	}
	switch text = strings.TrimSpace(text); {
	case len(text) > MaxTextBytes:
		return w, ErrTooLong
	case text != "":
		w.Text = text
	}
	if when != "" {
		w.When = when
	}
	return w, l.publish(ctx, event.New(event.MessageWaiting, w).InTurn(conversation, ""))
}

// DropWaiting removes a waiting message.
func (l *Loop) DropWaiting(ctx context.Context, conversation, id string, by toolspec.Caller) error {
	l.queue.Lock()
	defer l.queue.Unlock()
	if err := l.saveUnsaved(ctx, conversation); err != nil {
		return err
	}
	if _, err := l.findWaiting(ctx, conversation, id, by); err != nil {
		return err
	}
	return l.publish(ctx, event.New(event.MessageDropped, event.Removal{ID: id}).InTurn(conversation, ""))
}

// SendWaiting begins a turn with a waiting message, such as one that was put on hold when its turn ended.
func (l *Loop) SendWaiting(ctx context.Context, conversation, id string, by toolspec.Caller) (string, error) {
	l.queue.Lock()
	defer l.queue.Unlock()
	w, err := l.findWaiting(ctx, conversation, id, by)
	if err != nil {
		return "", err
	}
	return l.Start(ctx, requestFromWaiting(conversation, w))
}

// findWaiting returns ErrNotOwner if by may not change the message. The caller holds l.queue.
func (l *Loop) findWaiting(
	ctx context.Context,
	conversation, id string,
	by toolspec.Caller,
) (event.WaitingMessage, error) {
	if l.cfg.Queue == nil {
		return event.WaitingMessage{}, ErrNotWaiting
	}
	list, err := l.cfg.Queue.WaitingMessages(ctx, conversation)
	if err != nil {
		return event.WaitingMessage{}, err
	}
	i := slices.IndexFunc(list, func(w event.WaitingMessage) bool { return w.ID == id })
	switch {
	case i < 0:
		return event.WaitingMessage{}, ErrNotWaiting
	case by == toolspec.CallerHTTP && list[i].Caller != by:
		return event.WaitingMessage{}, ErrNotOwner
	}
	return list[i], nil
}

func requestFromWaiting(conversation string, w event.WaitingMessage) TurnRequest {
	return TurnRequest{
		Conversation: conversation, Text: w.Text, Model: w.Model, Panel: w.Panel, Caller: w.Caller,
		Interactive: w.Interactive, Attachments: w.Attachments, Sources: w.Sources, fromQueue: &w,
	}
}

func (l *Loop) runQueue(t *turn) {
	for t != nil {
		o := t.run()
		var next *turn
		if o.Status == chat.StatusDone {
			next = l.startNext(t)
		}
		l.wait.Done()
		t = next
	}
}

func (l *Loop) startNext(t *turn) *turn {
	if l.cfg.Queue == nil {
		return nil
	}
	l.queue.Lock()
	defer l.queue.Unlock()
	ctx := context.WithoutCancel(t.ctx)
	list, err := l.cfg.Queue.WaitingMessages(ctx, t.request.Conversation)
	isDue := func(w event.WaitingMessage) bool { return w.When != event.MomentHeld }
	if i := slices.IndexFunc(list, isDue); err == nil && i >= 0 {
		var next *turn
		if next, err = l.begin(ctx, requestFromWaiting(t.request.Conversation, list[i])); err == nil {
			return next
		}
	}
	if err != nil && !errors.Is(err, ErrBusy) && !errors.Is(err, ErrClosed) {
		l.cfg.Log.Error("a waiting message could not start its turn", "conversation", t.request.Conversation,
			"err", err)
	}
	return nil
}

// holdQueue marks t as ending, and puts waiting messages on hold if status is not done.
func (t *turn) holdQueue(status chat.Status) []event.Event {
	t.loop.queue.Lock()
	defer t.loop.queue.Unlock()
	t.loop.markEnding(t)
	if t.loop.cfg.Queue == nil || status == chat.StatusDone {
		return nil
	}
	list, err := t.loop.cfg.Queue.WaitingMessages(context.WithoutCancel(t.ctx), t.request.Conversation)
	if err != nil {
		t.loop.cfg.Log.Error("messages that wait were not read", "conversation", t.request.Conversation, "err", err)
	}
	var events []event.Event
	for _, w := range list {
		if w.When != event.MomentHeld {
			w.When = event.MomentHeld
			events = append(events, event.New(event.MessageWaiting, w).InTurn(t.request.Conversation, ""))
		}
	}
	return events
}

func (t *turn) steeringMessages() ([]event.WaitingMessage, error) {
	if t.isPilot || t.toolsClosed || t.loop.cfg.Queue == nil || t.ctx.Err() != nil {
		return nil, nil
	}
	list, err := t.loop.cfg.Queue.WaitingMessages(context.WithoutCancel(t.ctx), t.request.Conversation)
	return slices.DeleteFunc(list, func(w event.WaitingMessage) bool {
		return w.When != event.MomentNow || w.Caller != caller(t.request)
	}), err
}

// hasSteering reports whether messages wait for this turn. It returns true on a read error, which takeSteering
// then returns.
func (t *turn) hasSteering() bool {
	list, err := t.steeringMessages()
	return len(list) > 0 || err != nil
}

func (t *turn) takeSteering() (bool, error) {
	t.loop.queue.Lock()
	defer t.loop.queue.Unlock()
	list, err := t.steeringMessages()
	if err != nil || len(list) == 0 {
		return false, err
	}
	var events []event.Event
	for _, w := range list {
		m := t.message(chat.RoleUser, w.Text)
		m.FromProgram, m.Outside = w.Caller == toolspec.CallerHTTP, w.Sources
		events = append(append(events, t.joinMessage(w, m)...),
			t.event(event.MessageTaken, event.TakenMessage{ID: w.ID, Message: m.ID, Steered: true, Asked: w.Asked}))
		if w.Caller != toolspec.CallerHTTP && len(w.Sources) == 0 {
			t.typed = t.typed.With(w.Text)
		}
	}
	t.repeats = repetition.Detector{} // after a new message a repeated call may be right
	return true, t.loop.publish(t.ctx, events...)
}
