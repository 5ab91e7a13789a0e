package apps

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"sextant/shared/excerpt"
)

const (
	maxContextBytes = 16 << 10
	maxSources      = 4
	maxPlaces       = 64
)

var errInvalidContext = errors.New("invalid model context")

// ContextEntry is the context that one app or page gives the model. Text is from outside.
type ContextEntry struct {
	Source, Text string
}

// ModelContext holds the latest context that each app and panel page gave the model, in memory. Its methods may
// be called concurrently; the zero value is ready.
type ModelContext struct {
	mu     sync.Mutex
	places map[string][]ContextEntry
	order  []string
}

// Put replaces the context that source gave in place (a conversation or a panel). A fifth source in a place replaces
// the one updated least recently; a 65th place replaces the place added first. If the context is malformed or larger
// than 16 KB, Put returns an error and changes nothing.
func (c *ModelContext) Put(place, source string, content, structured json.RawMessage) error {
	text, err := contextText(content, structured)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.places == nil {
		c.places = map[string][]ContextEntry{}
	}
	list, known := c.places[place]
	if !known {
		if c.order = append(c.order, place); len(c.order) > maxPlaces {
			delete(c.places, c.order[0])
			c.order = c.order[1:]
		}
	}
	list = slices.DeleteFunc(slices.Clone(list), func(t ContextEntry) bool { return t.Source == source })
	if len(list) >= maxSources {
		list = list[1:]
	}
	c.places[place] = append(list, ContextEntry{Source: source, Text: text})
	return nil
}

// Latest returns the context of each source in place, the most recently updated last. An empty Text withdraws what the
// source gave before.
func (c *ModelContext) Latest(place string) []ContextEntry {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.places[place])
}

func contextText(content, structured json.RawMessage) (string, error) {
	if len(content)+len(structured) > 4*maxContextBytes {
		return "", fmt.Errorf("%w: it is larger than %d KB", errInvalidContext, maxContextBytes>>10)
	}
	var parts []string
	if isSet(content) {
		var blocks []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}
		if err := json.Unmarshal(content, &blocks); err != nil {
			return "", fmt.Errorf("%w: content must be a list of blocks", errInvalidContext)
		}
		for _, b := range blocks {
			if b.Type != "text" {
				return "", fmt.Errorf("%w: only text is supported, not %q", errInvalidContext,
					excerpt.TruncateRunes(b.Type, 40))
			}
			parts = append(parts, b.Text)
		}
	}
	if isSet(structured) {
		var object map[string]any
		if err := json.Unmarshal(structured, &object); err != nil {
			return "", fmt.Errorf("%w: structuredContent must be an object", errInvalidContext)
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, structured); err != nil {
			return "", fmt.Errorf("%w: structuredContent must be an object", errInvalidContext)
		}
		if len(object) > 0 {
			parts = append(parts, compact.String())
		}
	}
	text := strings.TrimSpace(strings.ToValidUTF8(strings.Join(parts, "\n"), "�"))
	if len(text) > maxContextBytes {
		return "", fmt.Errorf("%w: it is larger than %d KB", errInvalidContext, maxContextBytes>>10)
	}
	return text, nil
}

func isSet(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }
