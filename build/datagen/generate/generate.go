// Package generate fills a store with conversations of made-up text, in the events that the agent's loop publishes. The
// same options make the same events.
package generate

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"time"

	"sextant/shared/chat"
	"sextant/shared/event"
)

// Options says how much to write. A zero field has the default that the comment names.
type Options struct {
	// Messages counts those of people, the assistant and tools together; the last turn may exceed it.
	Messages int
	// Conversations is Messages/100 by default, Largest (the messages in the largest conversation) Messages/20.
	Conversations int
	Largest       int
	// Deltas is the number of pieces in which an answer is streamed, at least 0.
	Deltas int
	Seed   uint64
}

// Summary counts what Write wrote.
type Summary struct {
	Conversations, Messages, Events int
	LargestID                       string
	LargestMessages                 int
}

// Store takes the events; *sqlite.Store implements it.
type Store interface {
	AppendEvents(ctx context.Context, events []event.Event) ([]event.Event, error)
}

// batch is the number of events in a transaction.
const batch = 8_000

// start is the time of the first message; the last one is about two years later.
var start = time.Date(2024, 9, 1, 8, 0, 0, 0, time.UTC)

const span = 2 * 365 * 24 * time.Hour

// Write writes the conversations to store.
func Write(ctx context.Context, store Store, o Options) (Summary, error) {
	o.Messages = max(o.Messages, 1)
	if o.Conversations <= 0 {
		o.Conversations = max(1, o.Messages/100)
	}
	if o.Largest <= 0 {
		o.Largest = o.Messages / 20
	}
	if o.Conversations == 1 {
		o.Largest = o.Messages
	}
	random := rand.New(rand.NewPCG(o.Seed, 0x5e47a97)) //nolint:gosec // repeatable on purpose
	w := &writer{
		options: o, random: random, words: newVocabulary(random), store: store, now: start,
		step: span / time.Duration(o.Messages),
	}
	largest := random.IntN(max(1, o.Conversations-1)) // the last one fills up what is missing
	rest := max(1, (o.Messages-o.Largest)/max(1, o.Conversations-1))
	for i := range o.Conversations {
		left := o.Messages - w.sum.Messages - (o.Conversations - i - 1)
		if i < largest {
			left -= o.Largest
		}
		n := max(1, min(1+random.IntN(2*rest), left))
		if i == largest {
			n = o.Largest
		} else if i == o.Conversations-1 {
			n = max(1, left)
		}
		id, before := w.id("c"), w.sum.Messages
		if err := w.conversation(ctx, id, n); err != nil {
			return w.sum, err
		}
		if i == largest {
			w.sum.LargestID, w.sum.LargestMessages = id, w.sum.Messages-before
		}
	}
	return w.sum, w.flush(ctx)
}

type writer struct {
	options Options
	random  *rand.Rand
	words   *vocabulary
	store   Store
	now     time.Time
	step    time.Duration
	ids     int
	events  []event.Event
	sum     Summary

	conversationID, turnID string
	lastMessage            string
}

// id returns an id in the form that naming.NewID has.
func (w *writer) id(prefix string) string {
	w.ids++
	return fmt.Sprintf("%s_%09d", prefix, w.ids)
}

func (w *writer) flush(ctx context.Context) error {
	if len(w.events) == 0 {
		return nil
	}
	if _, err := w.store.AppendEvents(ctx, w.events); err != nil {
		return err
	}
	w.sum.Events += len(w.events)
	w.events = w.events[:0]
	return nil
}

func (w *writer) add(kind event.Kind, call string, data any) {
	e := event.New(kind, data).InTurn(w.conversationID, w.turnID).OfCall(call)
	e.Time = w.now
	w.events = append(w.events, e)
}

func (w *writer) message(m chat.Message, call string) {
	w.now = w.now.Add(w.step)
	m.Conversation, m.Turn, m.Time = w.conversationID, w.turnID, w.now
	if m.Status == "" {
		m.Status = chat.StatusDone
	}
	w.add(event.MessageAdded, call, m)
	w.lastMessage = m.ID
	w.sum.Messages++
}

func (w *writer) conversation(ctx context.Context, id string, messages int) error {
	w.conversationID, w.turnID, w.lastMessage = id, "", ""
	w.sum.Conversations++
	c := chat.Conversation{
		ID: id, Title: w.words.sentence(), Model: model, Status: chat.StatusDone, Created: w.now, Updated: w.now,
	}
	w.add(event.ConversationCreated, "", c)
	first := w.sum.Messages
	// Some conversations have a second branch, from the middle on.
	fork := 0
	if messages > 10 && w.random.IntN(20) == 0 {
		fork = messages / 2
	}
	for w.sum.Messages-first < messages {
		if fork > 0 && w.sum.Messages-first >= fork {
			fork = 0
			w.turnID = ""
			w.add(event.BranchStarted, "", event.Branch{ID: w.id("b"), After: w.lastMessage})
		}
		w.turn(messages - (w.sum.Messages - first))
		if len(w.events) >= batch {
			if err := w.flush(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

const model = "made-up"

// turn writes a turn of about five messages, at most left if left is at least two.
func (w *writer) turn(left int) {
	w.turnID = w.id("t")
	w.message(chat.Message{ID: w.id("m"), Role: chat.RoleUser, Text: w.words.prose(3)}, "")
	turn := event.Turn{ID: w.turnID, Model: model, Status: chat.StatusRunning}
	w.add(event.TurnStarted, "", turn)
	turn.Rounds = 1
	left -= 2
	for calls := min(3, w.random.IntN(4), left-1); calls > 0; calls = min(w.random.IntN(3), left-1) {
		left -= calls + 1
		w.toolRound(turn.Rounds, calls)
		turn.Rounds++
	}
	w.answer(turn.Rounds)
	turn.Status, turn.Usage = chat.StatusDone, w.usage()
	w.add(event.TurnEnded, "", turn)
}

func (w *writer) answer(round int) {
	m := chat.Message{ID: w.id("m"), Role: chat.RoleAssistant, Text: w.words.prose(10)}
	w.stream(m.ID, m.Text, event.TextDelta)
	w.message(m, "")
	w.roundEnded(round, 0, len(m.Text))
}

// stream writes the pieces of an answer or of its reasoning.
func (w *writer) stream(message, text string, kind event.Kind) {
	n := w.options.Deltas
	if kind == event.ReasoningDelta {
		n = min(n, 1)
	}
	for i := range n {
		piece := text[i*len(text)/n : (i+1)*len(text)/n] // the made-up words are ASCII
		w.add(kind, "", event.Delta{Message: message, Text: piece})
	}
}

// toolRound writes a round in which the model makes calls, with their results.
func (w *writer) toolRound(round, calls int) {
	m := chat.Message{ID: w.id("m"), Role: chat.RoleAssistant, Reasoning: w.words.prose(3)}
	w.stream(m.ID, m.Reasoning, event.ReasoningDelta)
	if w.random.IntN(2) == 0 {
		m.Text = w.words.sentence()
		w.stream(m.ID, m.Text, event.TextDelta)
	}
	made := make([]call, calls)
	for i := range made {
		made[i] = w.call()
		m.Calls = append(m.Calls, made[i].ToolCall)
	}
	w.message(m, "")
	w.roundEnded(round, calls, len(m.Text))
	for _, c := range made {
		w.runCall(c)
	}
}

func (w *writer) roundEnded(number, calls, bytes int) {
	usage := w.usage()
	w.add(event.RoundEnded, "", event.Round{
		Number: number, Model: model, Usage: usage, DurationMS: 900, AnswerBytes: bytes, Calls: calls,
		Requests: []event.Request{{Model: model, Usage: usage, FirstChunkMS: 200, DurationMS: 900}},
	})
}

func (w *writer) usage() chat.Usage {
	return chat.Usage{Input: 1000 + w.random.IntN(9000), Output: 50 + w.random.IntN(500)}
}

// raw returns v as JSON.
func raw(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // maps of strings only
	}
	return b
}
