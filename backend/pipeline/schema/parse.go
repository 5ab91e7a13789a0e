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

func decode(data []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, explainJSON(data, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("unexpected data after the JSON value, at byte %d", dec.InputOffset())
	}
	return v, checkBounds(v, 0)
}

func explainJSON(data []byte, err error) error {
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("not JSON at byte %d: %w", syntax.Offset, err)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return fmt.Errorf("not JSON: it ends unexpectedly at byte %d", len(data))
	}
	return fmt.Errorf("not JSON: %w", err)
}

// checkBounds rejects deep nesting, and numbers such as 1e999999999, which exact arithmetic would write out in full.
func checkBounds(v any, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("nested more than %d deep", maxDepth)
	}
	switch v := v.(type) {
	case map[string]any:
		for _, inner := range v {
			if err := checkBounds(inner, depth+1); err != nil {
				return err
			}
		}
	case []any:
		for _, inner := range v {
			if err := checkBounds(inner, depth+1); err != nil {
				return err
			}
		}
	case json.Number:
		if !smallNumber(v.String()) {
			return fmt.Errorf("the number %.20s… is too large or too long", v)
		}
	}
	return nil
}

func smallNumber(number string) bool {
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

func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("writing arguments: %w", err)
	}
	return bytes.TrimSpace(b.Bytes()), nil
}
