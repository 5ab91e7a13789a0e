package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/api/mcpserver"
)

// fixtureHandler answers a fixture's calls.
type fixtureHandler func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error)

// fixtures returns the suite's tools that need more of the protocol than a call and its result.
func fixtures(feed *changeFeed) []mcpserver.LocalTool {
	all := []mcpserver.LocalTool{}
	add := func(name, properties string, handle fixtureHandler) {
		all = append(all, mcpserver.LocalTool{
			Tool: &sdk.Tool{
				Name: name, Description: "A fixture of the conformance suite.",
				InputSchema: json.RawMessage(`{"type":"object","properties":{` + properties + `}}`),
			},
			Handle: sdk.ToolHandler(handle),
		})
	}
	add("test_audio_content", "", fixedResult(&sdk.AudioContent{MIMEType: "audio/wav", Data: emptyWAV()}))
	add("test_embedded_resource", "", fixedResult(embeddedResource("test://embedded-resource")))
	add("test_multiple_content_types", "", fixedResult(
		text("Multiple content types test:"),
		&sdk.ImageContent{
			MIMEType: "image/png",
			Data:     onePixelPNG(),
		},
		embeddedResource("test://mixed-content-resource"),
	))
	add("test_tool_with_logging", "", logMessages)
	add("test_logging_tool", "", logMessages)
	add("test_tool_with_progress", "", reportProgress)
	add("test_sampling", `"prompt":{"type":"string"}`, createMessage)
	add("test_elicitation", `"message":{"type":"string"}`,
		func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return elicit(
				ctx,
				req,
				argument(req, "message"),
				`"username":{"type":"string","description":"A name"},"email":{"type":"string","description":"An address"}`,
			)
		})
	add("test_elicitation_sep1034_defaults", "",
		func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return elicit(
				ctx,
				req,
				"Are these right?",
				`"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},`+
					`"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","default":true}`,
			)
		})
	add("test_elicitation_sep1330_enums", "",
		func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return elicit(ctx, req, "Choose.", choices)
		})
	add("test_missing_capability", "", requireSampling)
	add("test_streaming_elicitation", "", fixedResult(text("Nothing was asked on the way.")))
	add("test_trigger_tool_change", "", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		feed.publish(mcpserver.Change{Tools: true})
		return textResult("The tools changed."), nil
	})
	add("test_trigger_prompt_change", "", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		feed.publish(mcpserver.Change{Prompts: true})
		return textResult("The prompts changed."), nil
	})
	for name, handle := range inputFixtures() {
		add(name, "", handle)
	}
	return all
}

// choices are the fields of an elicitation with each of the five forms of an enumeration.
const choices = `"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},` +
	`"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First"},{"const":"value2","title":"Second"},{"const":"value3","title":"Third"}]},` +
	`"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["One","Two","Three"]},` +
	`"untitledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"string","enum":["option1","option2","option3"]}},` +
	`"titledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"anyOf":[{"const":"value1","title":"First"},{"const":"value2","title":"Second"},{"const":"value3","title":"Third"}]}}`

func textResult(words string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{text(words)}}
}

func fixedResult(parts ...sdk.Content) fixtureHandler {
	return func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: parts}, nil
	}
}

func embeddedResource(uri string) *sdk.EmbeddedResource {
	return &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{
		URI: uri, MIMEType: "text/plain",
		Text: "This is an embedded resource content.",
	}}
}

// argument returns a string argument of a call, "" for none.
func argument(req *sdk.CallToolRequest, name string) string {
	var args map[string]any
	if json.Unmarshal(req.Params.Arguments, &args) != nil {
		return ""
	}
	value, _ := args[name].(string)
	return value
}

// stepDelay is the pause between the steps of a slow tool.
const stepDelay = 50 * time.Millisecond

//nolint:staticcheck // logging is deprecated since 2026-07-28, but the suite requires it for 2025-11-25
func logMessages(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	for _, words := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
		if err := req.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Data: words}); err != nil {
			return nil, err
		}
		time.Sleep(stepDelay)
	}
	return textResult("Three lines were logged."), nil
}

func reportProgress(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	token := req.Params.GetProgressToken()
	for _, done := range []float64{0, 50, 100} {
		if token == nil {
			break
		}
		if err := req.Session.NotifyProgress(ctx,
			&sdk.ProgressNotificationParams{ProgressToken: token, Progress: done, Total: 100}); err != nil {
			return nil, err
		}
		time.Sleep(stepDelay)
	}
	return textResult(fmt.Sprint(token)), nil
}

//nolint:staticcheck // sampling is deprecated since 2026-07-28, but the suite requires it for 2025-11-25
func createMessage(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	got, err := req.Session.CreateMessage(ctx, &sdk.CreateMessageParams{
		MaxTokens: 100, Messages: []*sdk.SamplingMessage{{Role: "user", Content: text(argument(req, "prompt"))}},
	})
	if err != nil {
		return nil, err
	}
	words, _ := got.Content.(*sdk.TextContent)
	if words == nil {
		return nil, fmt.Errorf("the client's model answered with %T", got.Content)
	}
	return textResult("LLM response: " + words.Text), nil
}

func elicit(ctx context.Context, req *sdk.CallToolRequest, message, properties string) (*sdk.CallToolResult, error) {
	got, err := req.Session.Elicit(ctx, &sdk.ElicitParams{
		Mode: "form", Message: message,
		RequestedSchema: json.RawMessage(`{"type":"object","properties":{` + properties + `}}`),
	})
	if err != nil {
		return nil, err
	}
	content, err := json.Marshal(got.Content)
	if err != nil {
		return nil, err
	}
	return textResult(fmt.Sprintf("User response: action=%s, content=%s", got.Action, content)), nil
}

func requireSampling(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if caps := req.ClientCapabilities(); caps != nil && caps.Sampling != nil {
		return textResult("The client supports sampling."), nil
	}
	data, err := json.Marshal(sdk.MissingRequiredClientCapabilityData{
		RequiredCapabilities: &sdk.ClientCapabilities{Sampling: &sdk.SamplingCapabilities{}},
	})
	if err != nil {
		return nil, err
	}
	return nil, &jsonrpc.Error{
		Code:    sdk.CodeMissingRequiredClientCapabilities,
		Message: "This needs a client that supports sampling.", Data: data,
	}
}
