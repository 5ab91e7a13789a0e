package automation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"sextant/shared/excerpt"
)

const (
	maxDepth  = 64
	maxAnswer = 1 << 20
)

// parseAnswer returns the JSON value in text: all of text, or the content of its code fence.
func parseAnswer(text string) (json.RawMessage, error) {
	if len(text) > maxAnswer {
		return nil, fmt.Errorf("the answer has %d bytes; the limit is %d", len(text), maxAnswer)
	}
	text = strings.TrimSpace(text)
	if thought, after, ok := strings.Cut(text, "</think>"); ok && strings.HasPrefix(thought, "<think>") {
		text = strings.TrimSpace(after)
	}
	if text == "" {
		return nil, errors.New("the answer is empty")
	}
	value, err := parseValue(text)
	if err == nil {
		return value, nil
	}
	if inner, ok := insideFence(text); ok {
		return parseValue(inner)
	}
	return nil, err
}

func insideFence(text string) (string, bool) {
	parts := strings.Split("\n"+text, "\n```")
	if len(parts) != 3 {
		return "", false
	}
	info, inner, ok := strings.Cut(parts[1], "\n")
	switch strings.ToLower(strings.TrimSpace(info)) {
	case "", "json":
		return inner, ok
	}
	return "", false
}

// parseValue parses text as exactly one JSON value and returns it as compact UTF-8 with its names in their order. A
// duplicate name is an error, because parsers differ in which one they use.
func parseValue(text string) (json.RawMessage, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	w := compactor{dec: dec}
	err := w.value(0)
	if err == nil {
		if _, more := dec.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("there is more after the JSON value")
		}
	}
	if err == nil {
		return w.out.Bytes(), nil
	}
	at := dec.InputOffset()
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		at = max(syntax.Offset-1, at)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, errors.New("it is not JSON: it ends before the value does")
	}
	line, column := position(text, int(at))
	return nil, fmt.Errorf("it is not one JSON value: line %d, column %d: %w", line, column, err)
}

// Both start at 1; columns count characters.
func position(text string, at int) (line, column int) {
	before := text[:min(max(at, 0), len(text))]
	return 1 + strings.Count(before, "\n"), 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
}

type compactor struct {
	dec *json.Decoder
	out bytes.Buffer
}

func (c *compactor) value(deep int) error {
	if deep > maxDepth {
		return fmt.Errorf("nested more than %d deep", maxDepth)
	}
	token, err := c.dec.Token()
	if err != nil {
		return err
	}
	switch token {
	case json.Delim('{'):
		return c.object(deep)
	case json.Delim('['):
		return c.array(deep)
	}
	return c.scalar(token)
}

func (c *compactor) object(deep int) error {
	c.out.WriteByte('{')
	names := map[string]bool{}
	for c.dec.More() {
		token, err := c.dec.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string)
		if names[name] {
			return fmt.Errorf("the name %q appears twice", excerpt.TruncateRunes(name, 60))
		}
		if len(names) > 0 {
			c.out.WriteByte(',')
		}
		names[name] = true
		if err := c.scalar(name); err != nil {
			return err
		}
		c.out.WriteByte(':')
		if err := c.value(deep + 1); err != nil {
			return err
		}
	}
	return c.end('}')
}

func (c *compactor) array(deep int) error {
	c.out.WriteByte('[')
	for i := 0; c.dec.More(); i++ {
		if i > 0 {
			c.out.WriteByte(',')
		}
		if err := c.value(deep + 1); err != nil {
			return err
		}
	}
	return c.end(']')
}

func (c *compactor) end(bracket byte) error {
	if _, err := c.dec.Token(); err != nil {
		return err
	}
	return c.out.WriteByte(bracket)
}

func (c *compactor) scalar(v any) error {
	enc := json.NewEncoder(&c.out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	c.out.Truncate(c.out.Len() - 1) // Encode appends a line break
	return nil
}
