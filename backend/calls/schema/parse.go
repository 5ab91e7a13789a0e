package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// decode reads one JSON value with numbers as written, within the bounds.
func decode(data []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, sayJSON(data, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("there is more after the JSON value, at byte %d", dec.InputOffset())
	}
	return v, bounded(v, 0)
}

func sayJSON(data []byte, err error) error {
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("not JSON at byte %d: %w", syntax.Offset, err)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return fmt.Errorf("not JSON: it ends too early, at byte %d", len(data))
	}
	return fmt.Errorf("not JSON: %w", err)
}

// bounded refuses what would make later work explode: deep nesting, and numbers such as
// 1e999999999, which exact arithmetic writes out in full.
func bounded(v any, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("nested more than %d deep", maxDepth)
	}
	switch v := v.(type) {
	case map[string]any:
		for _, inner := range v {
			if err := bounded(inner, depth+1); err != nil {
				return err
			}
		}
	case []any:
		for _, inner := range v {
			if err := bounded(inner, depth+1); err != nil {
				return err
			}
		}
	case json.Number:
		if !sane(v.String()) {
			return fmt.Errorf("the number %.20s… is too large or too long", v)
		}
	}
	return nil
}

func sane(number string) bool {
	if len(number) > 330 {
		return false
	}
	i := strings.IndexAny(number, "eE")
	if i < 0 {
		return true
	}
	exponent, err := strconv.Atoi(number[i+1:])
	return err == nil && exponent <= 308 && exponent >= -324
}

// encode writes v with names in order and characters as they are.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("writing arguments: %w", err)
	}
	return bytes.TrimSpace(b.Bytes()), nil
}
