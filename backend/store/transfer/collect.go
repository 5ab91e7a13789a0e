package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"

	"sextant/shared/chat"
	"sextant/shared/event"
)

// Source is where conversations are read from. *sqlite.Store implements it.
type Source interface {
	Conversations(ctx context.Context) ([]chat.Conversation, error)
	EventsOfConversation(ctx context.Context, id string) ([]event.Event, error)
}

// ErrNotFound is returned for a conversation that does not exist.
var ErrNotFound = errors.New("there is no such conversation")

// Collect reads a conversation and those of its subagents, each after the one that it works for.
func Collect(ctx context.Context, from Source, id string) ([]Conversation, error) {
	all, err := from.Conversations(ctx)
	if err != nil {
		return nil, err
	}
	children, isKnown := map[string][]string{}, false
	for _, c := range all {
		isKnown = isKnown || c.ID == id
		if c.Parent != "" && c.Parent != c.ID {
			children[c.Parent] = append(children[c.Parent], c.ID)
		}
	}
	if !isKnown {
		return nil, ErrNotFound
	}
	var list []Conversation
	seen := map[string]bool{}
	for next := []string{id}; len(next) > 0; next = next[1:] {
		if seen[next[0]] {
			continue
		}
		seen[next[0]] = true
		events, err := from.EventsOfConversation(ctx, next[0])
		if err != nil {
			return nil, err
		}
		c, err := FromEvents(next[0], events)
		if err != nil {
			return nil, err
		}
		list, next = append(list, c), append(next, children[next[0]]...)
	}
	return list, nil
}

// Formats are the names of the formats of WriteAs.
const (
	JSON     = "json"
	Markdown = "markdown"
	HTML     = "html"
)

// WriteAs writes the conversations of Collect in a format and returns its media type. Markdown and HTML contain only
// the first one.
func WriteAs(w io.Writer, format string, list []Conversation) (media string, err error) {
	switch format {
	case JSON:
		return "application/json", Write(w, list)
	case Markdown:
		return "text/markdown; charset=utf-8", WriteMarkdown(w, list[:1])
	case HTML:
		return "text/html; charset=utf-8", WriteHTML(w, list[:1])
	}
	return "", fmt.Errorf("there is no format %q", format)
}
