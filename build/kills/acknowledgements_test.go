package kills

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"sextant/shared/event"
)

// acknowledgements records what the program acknowledged, so that a test can look for it after a kill.
type acknowledgements struct {
	mu sync.Mutex
	// events were sent to the window, by sequence number. newest is the largest number; events up to verified were
	// found again after a kill.
	events           map[int64]event.Event
	newest, verified int64
	// before maps each event to the one sent before it, 0 for the first of a run.
	before   map[int64]int64
	previous int64
	// turns and waiting map the ids of accepted messages to their conversation.
	turns, waiting map[string]string
}

func newAcknowledgements() *acknowledgements {
	return &acknowledgements{
		events: map[int64]event.Event{}, before: map[int64]int64{}, turns: map[string]string{},
		waiting: map[string]string{},
	}
}

// lastEvent returns the number of the newest event that was sent or read.
func (a *acknowledgements) lastEvent() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return max(a.newest, a.verified)
}

// verifiedUpTo returns the number up to which every event was found again.
func (a *acknowledgements) verifiedUpTo() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.verified
}

func (a *acknowledgements) counts() (events, messages int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.events), len(a.turns) + len(a.waiting)
}

// addEvent records an event as it was sent.
func (a *acknowledgements) addEvent(e event.Event) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.events[e.Seq], a.before[e.Seq] = e, a.previous
	a.previous = e.Seq
	a.newest = max(a.newest, e.Seq)
}

// addMessage records the answer to a message.
func (a *acknowledgements) addMessage(conversation, turn, waiting string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if turn != "" {
		a.turns[turn] = conversation
	}
	if waiting != "" {
		a.waiting[waiting] = conversation
	}
}

// compare returns what was sent but is missing from stored, which has all events after verifiedUpTo in order.
// It then marks the stored events as verified.
func (a *acknowledgements) compare(stored []event.Event) (lost []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	at := map[int64]int{}
	last := a.verified
	for i, e := range stored {
		if e.Seq <= last {
			lost = append(lost, fmt.Sprintf("event %d is stored after %d", e.Seq, last))
		}
		last = e.Seq
		at[e.Seq] = i
	}
	for seq := range a.events {
		if seq <= a.verified {
			continue
		}
		i, there := at[seq]
		switch {
		case !there:
			lost = append(lost, fmt.Sprintf("event %d was sent and is lost: %s", seq, canonical(a.events[seq])))
		case !bytes.Equal(canonical(stored[i]), canonical(a.events[seq])) && !a.isMerged(stored[:i+1], a.events[seq]):
			lost = append(lost, fmt.Sprintf("event %d was sent as %s and is stored as %s", seq,
				canonical(a.events[seq]), canonical(stored[i])))
		}
	}
	a.verified, a.previous = max(a.verified, last), max(a.verified, last)
	return lost
}

// isMerged reports whether e joins the text of several stored events, as a slow reader receives them.
// They follow the event sent before e; the last of stored has the number of e.
func (a *acknowledgements) isMerged(stored []event.Event, e event.Event) bool {
	type piece struct {
		Message, Stream, Text string
	}
	read := func(e event.Event) (p piece) {
		_ = json.Unmarshal(e.Data, &p)
		return p
	}
	whole := read(e)
	text := ""
	for _, s := range slices.Backward(stored) {
		p := read(s)
		if s.Kind != e.Kind || s.Call != e.Call || p.Message != whole.Message || p.Stream != whole.Stream ||
			s.Seq <= a.before[e.Seq] {
			break
		}
		text = p.Text + text
	}
	return text == whole.Text
}

// canonical encodes an event, so that equal events have equal bytes.
func canonical(e event.Event) []byte {
	e.Time = e.Time.UTC()
	b, err := json.Marshal(e)
	if err != nil {
		return []byte(err.Error())
	}
	var same bytes.Buffer
	json.HTMLEscape(&same, b)
	return same.Bytes()
}
