// Package transfer writes conversations to files and reads them back.
//
// The JSON format is for Sextant: a conversation is the list of its events as they are stored, so that importing a file
// and exporting the conversation again gives the same bytes. Markdown and HTML are for people and contain the messages
// of the active branch. Veil hides secrets in what is exported. Pictures and long stored results are not contained.
//
// A file is outside text by an unknown author. Read checks its size, kinds of events, ids and data; the importer adds a
// note to the conversation that names the file as a source, so that its text is never taken for the person's own.
package transfer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"sextant/shared/chat"
	"sextant/shared/event"
)

// Format and Version identify the JSON format. The file is an object with "format", "version" and "conversations": each
// has an "id" and "events" (kind, time, turn, call, data), the oldest first. Conversations of subagents follow the one
// that they work for.
const (
	Format  = "sextant.conversations"
	Version = 1
)

// The limits of a file.
const (
	MaxFile          = 64 << 20
	maxConversations = 1000
	maxID            = 128
	maxEventData     = 4 << 20
	maxCount         = 1_000_000_000
)

// File is the content of a JSON file.
type File struct {
	Format        string         `json:"format"`
	Version       int            `json:"version"`
	Conversations []Conversation `json:"conversations"`
}

// Conversation is a conversation in a File.
type Conversation struct {
	ID     string  `json:"id"`
	Events []Event `json:"events"`
}

// Event is an event.Event without its number and conversation.
type Event struct {
	Kind event.Kind      `json:"kind"`
	Time time.Time       `json:"time"`
	Turn string          `json:"turn,omitempty"`
	Call string          `json:"call,omitempty"`
	Data json.RawMessage `json:"data"`
}

// ErrRunning is returned for a conversation in which something still runs.
var ErrRunning = errors.New("the conversation is still running")

// ImportSource is the source of an imported conversation's text.
const ImportSource = "imported file"

// FromEvents returns a conversation with those of its stored events that belong into a file.
func FromEvents(id string, stored []event.Event) (Conversation, error) {
	c := Conversation{ID: id, Events: []Event{}}
	for _, e := range stored {
		if newData(e.Kind) == nil || isImportNote(e.Kind, e.Data) {
			continue
		}
		data := new(bytes.Buffer)
		if err := json.Compact(data, e.Data); err != nil {
			return c, fmt.Errorf("event %d: %w", e.Seq, err)
		}
		c.Events = append(c.Events, Event{
			Kind: e.Kind, Time: e.Time.UTC(), Turn: e.Turn, Call: e.Call, Data: data.Bytes(),
		})
	}
	if c.isRunning() {
		return c, ErrRunning
	}
	return c, nil
}

// isRunning reports whether a turn or call of c has not ended.
func (c Conversation) isRunning() bool {
	running := map[string]bool{}
	for _, e := range c.Events {
		switch e.Kind {
		case event.TurnStarted:
			running["turn "+e.Turn] = true
		case event.TurnEnded:
			delete(running, "turn "+e.Turn)
		case event.CallStarted:
			running["call "+e.Call] = true
		case event.CallEnded:
			delete(running, "call "+e.Call)
		}
	}
	return len(running) > 0
}

// newData returns the type of the data of events of a kind that a file may contain, nil for other kinds. Costs,
// approvals and waiting messages stay with the program that recorded them.
func newData(kind event.Kind) any {
	switch kind {
	case event.ConversationCreated, event.ConversationUpdated:
		return new(chat.Conversation)
	case event.MessageAdded:
		return new(chat.Message)
	case event.BranchStarted:
		return new(event.Branch)
	case event.BranchChosen:
		return new(event.BranchRef)
	case event.TurnStarted, event.TurnEnded:
		return new(event.Turn)
	case event.TurnNoted:
		return new(event.Note)
	case event.TextDelta, event.ReasoningDelta:
		return new(event.Delta)
	case event.CallStarted:
		return new(event.CallStart)
	case event.CallOutput:
		return new(event.CallChunk)
	case event.CallEnded:
		return new(event.CallEnd)
	}
	return nil
}

func isImportNote(kind event.Kind, data json.RawMessage) bool {
	var m chat.Message
	return kind == event.MessageAdded && bytes.Contains(data, []byte(ImportSource)) &&
		json.Unmarshal(data, &m) == nil && m.Role == chat.RoleNote &&
		len(m.Outside) == 1 && m.Outside[0] == ImportSource
}

// Write writes conversations as JSON, one event a line.
func Write(w io.Writer, list []Conversation) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\"format\":%q,\"version\":%d,\"conversations\":[", Format, Version)
	for i, c := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n{\"id\":")
		if err := appendJSON(&b, c.ID); err != nil {
			return err
		}
		b.WriteString(",\"events\":[")
		for j, e := range c.Events {
			if j > 0 {
				b.WriteByte(',')
			}
			b.WriteByte('\n')
			if err := appendJSON(&b, e); err != nil {
				return err
			}
			if b.Len() > 1<<20 {
				if _, err := b.WriteTo(w); err != nil {
					return err
				}
			}
		}
		b.WriteString("\n]}")
	}
	b.WriteString("\n]}\n")
	_, err := b.WriteTo(w)
	return err
}

// appendJSON appends v without the escapes for HTML, which would change the data of events.
func appendJSON(b *bytes.Buffer, v any) error {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1) // the line feed
	return nil
}
