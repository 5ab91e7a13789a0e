package automation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"sextant/backend/pipeline/schema"
)

// MaxFormatBytes limits a format: all of it goes to the model.
const MaxFormatBytes = 64 << 10

// checker caches the formats in use; its cache is bounded.
var checker = schema.New()

// Format is what an answer must fit: a JSON Schema, or a description in words, which any JSON fits. The zero
// Format is none.
type Format struct {
	schema json.RawMessage
	words  string
}

// NewFormat reads a format: a JSON object is a schema, a JSON string a description. The error says what is
// wrong with it.
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

// prompt asks the model for the answer once it is done.
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

// check returns what is wrong with value, nothing if it fits. An error means that it cannot be checked.
func (f Format) check(value json.RawMessage) ([]string, error) {
	if f.schema == nil {
		return checker.CheckValue(json.RawMessage(`{}`), value)
	}
	return checker.CheckValue(f.schema, value)
}
