package automation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"sextant/backend/pipeline/schema"
)

// MaxFormatBytes limits a format, because all of it is sent to the model.
const MaxFormatBytes = 64 << 10

var checker = schema.New()

// Format describes a valid answer: with a JSON Schema, or in words, which any JSON fits. The zero Format means
// that none was requested.
type Format struct {
	schema json.RawMessage
	words  string
}

// NewFormat parses a format: a JSON object is a schema, a JSON string a description in words. The error says what
// is wrong with raw.
func NewFormat(raw []byte) (Format, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) > MaxFormatBytes {
		return Format{}, fmt.Errorf(
			"the format has %d bytes; all of it is sent to the model, so at most %d are allowed",
			len(raw),
			MaxFormatBytes,
		)
	}
	var words string
	if json.Unmarshal(raw, &words) == nil {
		if words = strings.TrimSpace(words); words == "" {
			return Format{}, fmt.Errorf("the format is empty; give a JSON Schema, or a description in words")
		}
		return Format{words: words}, nil
	}
	if len(raw) == 0 {
		return Format{}, fmt.Errorf("the format is empty; give a JSON Schema such as {\"type\":\"object\"}")
	}
	if err := checker.CheckFormat(raw); err != nil {
		return Format{}, fmt.Errorf("the format is not a usable JSON Schema: %w", err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil {
		return Format{}, fmt.Errorf("the format is not JSON: %w", err)
	}
	return Format{schema: compact.Bytes()}, nil
}

func (f Format) empty() bool { return f.schema == nil && f.words == "" }

func (f Format) prompt() string {
	if f.words != "" {
		return "Now give the answer as one JSON value and nothing else: no words around it, no code fence, no " +
			"tool call. It must be:\n" + f.words
	}
	return "Now give the answer as one JSON value and nothing else: no words around it, no code fence, no tool " +
		"call. It must fit this JSON Schema:\n" + string(
		f.schema,
	)
}

// check returns the problems of value, none if it fits. An error means that value could not be checked.
func (f Format) check(value json.RawMessage) ([]string, error) {
	if f.schema == nil {
		return checker.CheckValue(json.RawMessage(`{}`), value)
	}
	return checker.CheckValue(f.schema, value)
}
