package main

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The fixtures that need something of the client before they answer (SEP-2322): they return what
// they need, and are called again with it.

// stateKey signs what a client has to bring back.
var stateKey = rand.Text()

// signed is words with a mark that nobody else can make.
func signed(words string) string {
	mac := hmac.New(sha256.New, []byte(stateKey))
	_, _ = mac.Write([]byte(words)) // a hash takes everything
	return words + "." + hex.EncodeToString(mac.Sum(nil))
}

// opened are the words of a state that is ours.
func opened(state string) (words string, ok bool) {
	at := strings.LastIndexByte(state, '.')
	if at < 0 || !hmac.Equal([]byte(state), []byte(signed(state[:at]))) {
		return "", false
	}
	return state[:at], true
}

func badState() error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "requestState is not one that was given out."}
}

// ask is a question with one field.
func ask(message, field, kind string) *sdk.ElicitParams {
	return &sdk.ElicitParams{
		Mode: "form", Message: message,
		RequestedSchema: json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{%q:{"type":%q}},"required":[%q]}`,
			field, kind, field)),
	}
}

// accepted is what a person filled in for the question key, nil when they did not.
func accepted(all sdk.InputResponseMap, key string) map[string]any {
	got, ok := all[key].(*sdk.ElicitResult)
	if !ok || got == nil || got.Action != "accept" {
		return nil
	}
	return got.Content
}

// sampled is what the client's model said.
func sampled(all sdk.InputResponseMap, key string) string {
	got, ok := all[key].(*sdk.CreateMessageWithToolsResult)
	if !ok || got == nil {
		return ""
	}
	for _, part := range got.Content {
		if words, ok := part.(*sdk.TextContent); ok {
			return words.Text
		}
	}
	return ""
}

func sample(prompt string) *sdk.CreateMessageParams {
	return &sdk.CreateMessageParams{
		MaxTokens: 100,
		Messages:  []*sdk.SamplingMessage{{Role: "user", Content: text(prompt)}},
	}
}

func needs(state string, what sdk.InputRequestMap) (*sdk.CallToolResult, error) {
	return &sdk.CallToolResult{InputRequests: what, RequestState: state}, nil
}

func inputFixtures() map[string]answer {
	const prefix = "test_input_required_result_"
	return map[string]answer{
		prefix + "elicitation":     needsName,
		prefix + "sampling":        needsModel,
		prefix + "list_roots":      needsRoots,
		prefix + "request_state":   needsState,
		prefix + "tampered_state":  needsState,
		prefix + "multiple_inputs": needsThree,
		prefix + "multi_round":     needsTwice,
		prefix + "capabilities":    needsWhatCanBeHad,
	}
}

func needsName(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if name, _ := accepted(req.Params.InputResponses, "user_name")["name"].(string); name != "" {
		return said("Hello, " + name + "!"), nil
	}
	return needs("", sdk.InputRequestMap{"user_name": ask("What is your name?", "name", "string")})
}

func needsModel(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if words := sampled(req.Params.InputResponses, "capital_question"); words != "" {
		return said("The model says: " + words), nil
	}
	return needs("", sdk.InputRequestMap{"capital_question": sample("What is the capital of France?")})
}

func needsRoots(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if got, ok := req.Params.InputResponses["client_roots"].(*sdk.ListRootsResult); ok {
		names := []string{}
		for _, root := range got.Roots {
			names = append(names, root.URI)
		}
		return said("Roots: " + strings.Join(names, ", ")), nil
	}
	return needs("", sdk.InputRequestMap{"client_roots": &sdk.ListRootsParams{}})
}

func needsState(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if req.Params.RequestState != "" {
		if _, ours := opened(req.Params.RequestState); !ours {
			return nil, badState()
		}
		if accepted(req.Params.InputResponses, "confirm") != nil {
			return said("state-ok: the state came back and was confirmed"), nil
		}
	}
	return needs(signed("confirm"), sdk.InputRequestMap{"confirm": ask("Is it right?", "ok", "boolean")})
}

func needsThree(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	all := req.Params.InputResponses
	name, _ := accepted(all, "user_name")["name"].(string)
	roots, listed := all["client_roots"].(*sdk.ListRootsResult)
	if greeting := sampled(all, "greeting"); name != "" && greeting != "" && listed {
		return said(fmt.Sprintf("%s %s, with %d roots", greeting, name, len(roots.Roots))), nil
	}
	return needs(signed("three"), sdk.InputRequestMap{
		"user_name": ask("What is your name?", "name", "string"), "greeting": sample("Write a greeting."),
		"client_roots": &sdk.ListRootsParams{},
	})
}

func needsTwice(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if req.Params.RequestState == "" {
		return needs(signed("first"), sdk.InputRequestMap{"step1": ask("What is your name?", "name", "string")})
	}
	words, ours := opened(req.Params.RequestState)
	name, second := strings.CutPrefix(words, "second ")
	switch {
	case !ours:
		return nil, badState()
	case second:
		return said(fmt.Sprintf("%s likes %v", name, accepted(req.Params.InputResponses, "step2")["color"])), nil
	}
	name = fmt.Sprint(accepted(req.Params.InputResponses, "step1")["name"])
	return needs(signed("second "+name), sdk.InputRequestMap{"step2": ask("What is your favourite colour?", "color",
		"string")})
}

func needsWhatCanBeHad(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if len(req.Params.InputResponses) > 0 {
		return said("The client had what was needed."), nil
	}
	what := sdk.InputRequestMap{}
	if caps := req.ClientCapabilities(); caps != nil {
		if caps.Elicitation != nil {
			what["user_name"] = ask("What is your name?", "name", "string")
		}
		if caps.Sampling != nil {
			what["greeting"] = sample("Write a greeting.")
		}
		if caps.RootsV2 != nil {
			what["client_roots"] = &sdk.ListRootsParams{}
		}
	}
	if len(what) == 0 {
		return said("The client has nothing that could be asked for."), nil
	}
	return needs("", what)
}
