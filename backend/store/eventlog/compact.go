package eventlog

import (
	"encoding/json"

	"sextant/shared/chat"
	"sextant/shared/event"
)

// Compact joins the pieces of text in the events of a conversation, and drops those that a later event repeats. The
// window's reducer makes the same conversation of the result. Compact does not change its argument.
func Compact(events []event.Event) []event.Event {
	c := compactor{repeated: repeatedTexts(events), texts: map[string]*joinedText{}, outputs: map[string]*joinedText{}}
	for _, e := range events {
		switch e.Kind {
		case event.TextDelta:
			d := decode[event.Delta](e)
			c.texts[d.Message] = c.join(c.texts[d.Message], e, d.Text, c.repeated[d.Message])
			c.reasoning = nil
		case event.ReasoningDelta:
			c.reasoning = c.join(c.reasoning, e, decode[event.Delta](e).Text, false)
		case event.CallOutput:
			c.addOutput(e)
		case event.RoundEnded, event.BudgetRaised: // not shown
		default:
			c.out = append(c.out, e)
			c.reasoning = nil
		}
	}
	for _, j := range c.joined {
		j.encode(&c.out[j.at])
	}
	return c.out
}

type compactor struct {
	out    []event.Event
	joined []*joinedText
	// repeated contains the messages and calls with an event that has the whole text.
	repeated  map[string]bool
	texts     map[string]*joinedText
	outputs   map[string]*joinedText
	reasoning *joinedText
}

// joinedText is the text of the event out[at] and of the later pieces that belong to it.
type joinedText struct {
	at   int
	text []byte
}

// join appends a piece to j, or to a new event in place of e if j is nil. A repeated text keeps only its place.
func (c *compactor) join(j *joinedText, e event.Event, text string, repeated bool) *joinedText {
	if j == nil {
		j = &joinedText{at: len(c.out)}
		c.out = append(c.out, e)
		c.joined = append(c.joined, j)
	}
	if !repeated {
		j.text = append(j.text, text...)
	}
	return j
}

func (c *compactor) addOutput(e event.Event) {
	if c.repeated[e.Call] {
		return
	}
	chunk := decode[event.CallChunk](e)
	last := c.outputs[e.Call]
	if last != nil && decode[event.CallChunk](c.out[last.at]).Stream != chunk.Stream {
		last = nil
	}
	c.outputs[e.Call] = c.join(last, e, chunk.Text, false)
}

func (j *joinedText) encode(e *event.Event) {
	var data any
	if e.Kind == event.CallOutput {
		data = event.CallChunk{Stream: decode[event.CallChunk](*e).Stream, Text: string(j.text)}
	} else {
		data = event.Delta{Message: decode[event.Delta](*e).Message, Text: string(j.text)}
	}
	e.Data = event.New(e.Kind, data).Data
}

func repeatedTexts(events []event.Event) map[string]bool {
	repeated := map[string]bool{}
	for _, e := range events {
		switch e.Kind {
		case event.MessageAdded:
			if m := decode[chat.Message](e); m.Text != "" {
				repeated[m.ID] = true
			}
		case event.CallEnded:
			if decode[event.CallEnd](e).Output != "" {
				repeated[e.Call] = true
			}
		}
	}
	return repeated
}

// decode returns the zero value for data of another form.
func decode[T any](e event.Event) (data T) {
	_ = json.Unmarshal(e.Data, &data)
	return data
}
