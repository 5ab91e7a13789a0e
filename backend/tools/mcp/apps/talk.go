package apps

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"sextant/shared/clip"
)

const (
	// maxTold bounds what one app or page tells the model, in bytes, maxTellers how many are remembered
	// in one conversation, maxPlaces in how many.
	maxTold    = 16 << 10
	maxTellers = 4
	maxPlaces  = 64
)

// ErrTold says what is wrong with what an app would tell the model.
var ErrTold = errors.New("this is no context for a model")

// Told is what one app or page tells the model: text from outside, with its source.
type Told struct {
	Source, Text string
}

// Context holds what apps and pages of panels tell the model: of each the latest only, until Sextant
// ends. Its methods may be called concurrently; the zero value is ready.
type Context struct {
	mu     sync.Mutex
	places map[string][]Told
	order  []string
}

// Put replaces what source tells in place, a conversation or a panel. It refuses what is malformed or
// larger than 16 KB; nothing then changes.
func (c *Context) Put(place, source string, content, structured json.RawMessage) error {
	text, err := contextText(content, structured)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.places == nil {
		c.places = map[string][]Told{}
	}
	list, known := c.places[place]
	if !known {
		if c.order = append(c.order, place); len(c.order) > maxPlaces {
			delete(c.places, c.order[0])
			c.order = c.order[1:]
		}
	}
	list = slices.DeleteFunc(slices.Clone(list), func(t Told) bool { return t.Source == source })
	if len(list) >= maxTellers {
		list = list[1:]
	}
	c.places[place] = append(list, Told{Source: source, Text: text})
	return nil
}

// Latest is what is told in place, the latest last. A Text of "" takes back what was told before.
func (c *Context) Latest(place string) []Told {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.places[place])
}

// contextText is the text of ui/update-model-context: its text blocks, and its structured content as JSON.
func contextText(content, structured json.RawMessage) (string, error) {
	if len(content)+len(structured) > 4*maxTold {
		return "", fmt.Errorf("%w: it may have %d KB", ErrTold, maxTold>>10)
	}
	var parts []string
	if given(content) {
		var blocks []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}
		if err := json.Unmarshal(content, &blocks); err != nil {
			return "", fmt.Errorf("%w: content is a list of blocks", ErrTold)
		}
		for _, b := range blocks {
			if b.Type != "text" {
				return "", fmt.Errorf("%w: only text is taken, not %q", ErrTold, clip.Runes(b.Type, 40))
			}
			parts = append(parts, b.Text)
		}
	}
	if given(structured) {
		var object map[string]any
		if err := json.Unmarshal(structured, &object); err != nil {
			return "", fmt.Errorf("%w: structuredContent is an object", ErrTold)
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, structured); err != nil {
			return "", fmt.Errorf("%w: structuredContent is an object", ErrTold)
		}
		if len(object) > 0 {
			parts = append(parts, compact.String())
		}
	}
	text := strings.TrimSpace(strings.ToValidUTF8(strings.Join(parts, "\n"), "�"))
	if len(text) > maxTold {
		return "", fmt.Errorf("%w: it may have %d KB", ErrTold, maxTold>>10)
	}
	return text, nil
}

func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// Bounds of what the apps of one server may ask.
const (
	burst  = 40
	rate   = 10
	atOnce = 8
	// maxServers bounds how many servers are counted; names come from the config, so that this is never met.
	maxServers = 1024
)

// Turnstile bounds what the apps of each server ask: calls and reads. Its methods may be called
// concurrently; the zero value is ready.
type Turnstile struct {
	mu      sync.Mutex
	servers map[string]*passing
	// Now is the clock, time.Now when nil.
	Now func() time.Time
}

type passing struct {
	running int
	tokens  float64
	filled  time.Time
}

// Enter takes a place, which leave gives back, or says why there is none.
func (t *Turnstile) Enter(server string) (leave func(), err error) {
	now := time.Now()
	if t.Now != nil {
		now = t.Now()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.servers == nil || len(t.servers) > maxServers {
		t.servers = map[string]*passing{}
	}
	p := t.servers[server]
	if p == nil {
		p = &passing{tokens: burst, filled: now}
		t.servers[server] = p
	}
	p.tokens = min(burst, p.tokens+now.Sub(p.filled).Seconds()*rate)
	p.filled = now
	switch {
	case p.running >= atOnce:
		return nil, fmt.Errorf("the app of %s has %d requests under way already; wait for one to end", server, atOnce)
	case p.tokens < 1:
		return nil, fmt.Errorf("the app of %s asks more often than %d times a second; wait, then try again", server, rate)
	}
	p.tokens--
	p.running++
	return sync.OnceFunc(func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		p.running--
	}), nil
}
