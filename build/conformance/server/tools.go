package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"
	"sync"

	"sextant/backend/api/mcpserver"
	"sextant/shared/toolspec"
)

// plainTools are the suite's tools that need only a call and its result. They are served like Sextant's own tools.
type plainTools struct{}

// Definitions implements mcpserver.Tools.
func (plainTools) Definitions() []toolspec.Definition {
	plain := func(name, description string) toolspec.Definition {
		return toolspec.Definition{
			Name: name, Description: description,
			Parameters: json.RawMessage(`{"type":"object"}`), Hints: toolspec.Hints{ReadOnly: true},
		}
	}
	return []toolspec.Definition{
		plain("test_simple_text", "Answers with a text."),
		plain("test_image_content", "Answers with a picture."),
		plain("test_error_handling", "Fails."),
		{
			Name: "json_schema_2020_12_tool", Description: "Has a schema with keywords of JSON Schema 2020-12.",
			Parameters: json.RawMessage(schema2020),
		},
	}
}

// schema2020 must reach a client unchanged, even its keywords that the server does not know.
const schema2020 = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},
"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},
"additionalProperties":false}`

// pipeline answers the calls of plainTools.
type pipeline struct{}

// Do implements mcpserver.Caller.
func (pipeline) Do(_ context.Context, call toolspec.Call) toolspec.Result {
	switch call.Tool {
	case "test_simple_text":
		return toolspec.OK("This is a simple text response for testing.")
	case "test_image_content":
		return toolspec.Result{Success: true, Images: []toolspec.Image{{MIME: "image/png", Data: onePixelPNG()}}}
	case "json_schema_2020_12_tool":
		return toolspec.OK("It was called with " + string(call.Args))
	}
	return toolspec.Fail(toolspec.UserError, "This tool intentionally returns an error for testing", "")
}

func onePixelPNG() []byte {
	const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	return decodeBase64(png)
}

func emptyWAV() []byte {
	return decodeBase64("UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=")
}

func decodeBase64(text string) []byte {
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil
	}
	return b
}

// changeFeed sends each change that a fixture makes to every session whose buffer is not full.
type changeFeed struct {
	mu          sync.Mutex
	subscribers []chan mcpserver.Change
}

func (f *changeFeed) subscribe() (<-chan mcpserver.Change, func()) {
	ch := make(chan mcpserver.Change, 16)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.subscribers = append(f.subscribers, ch)
	return ch, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.subscribers = slices.DeleteFunc(f.subscribers, func(other chan mcpserver.Change) bool { return other == ch })
	}
}

func (f *changeFeed) publish(change mcpserver.Change) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, ch := range f.subscribers {
		select {
		case ch <- change:
		default: // its buffer is full of earlier changes
		}
	}
}
