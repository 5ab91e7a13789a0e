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

// These fixtures need input from the client before they answer (SEP-2322): they return the requests and are called
// again with the answers.

// stateKey signs the state that a client must return.
var stateKey = rand.Text()

// signState returns words with a signature appended.
func signState(words string) string {
	mac := hmac.New(sha256.New, []byte(stateKey))
	_, _ = mac.Write([]byte(words)) // a hash never returns an error
	return words + "." + hex.EncodeToString(mac.Sum(nil))
}

// verifyState returns the words of a state with a valid signature.
func verifyState(state string) (words string, ok bool) {
	at := strings.LastIndexByte(state, '.')
	if at < 0 || !hmac.Equal([]byte(state), []byte(signState(state[:at]))) {
		return "", false
	}
	return state[:at], true
}

func invalidStateError() error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "requestState is not valid."}
}

// questionParams returns an elicitation with one field.
func questionParams(message, field, kind string) *sdk.ElicitParams {
	return &sdk.ElicitParams{
		Mode: "form", Message: message,
		RequestedSchema: json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{%q:{"type":%q}},"required":[%q]}`,
			field, kind, field)),
	}
}

// acceptedContent returns the accepted answer to the question key, nil if it was not accepted.
func acceptedContent(all sdk.InputResponseMap, key string) map[string]any {
	got, ok := all[key].(*sdk.ElicitResult)
	if !ok || got == nil || got.Action != "accept" {
		return nil
	}
	return got.Content
}

// sampledText returns the answer of the client's model, "" for none.
func sampledText(all sdk.InputResponseMap, key string) string {
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

func samplingParams(prompt string) *sdk.CreateMessageParams {
	return &sdk.CreateMessageParams{
		MaxTokens: 100,
		Messages:  []*sdk.SamplingMessage{{Role: "user", Content: text(prompt)}},
	}
}

func inputRequired(state string, requests sdk.InputRequestMap) (*sdk.CallToolResult, error) {
	return &sdk.CallToolResult{InputRequests: requests, RequestState: state}, nil
}

func inputFixtures() map[string]fixtureHandler {
	const prefix = "test_input_required_result_"
	return map[string]fixtureHandler{
		prefix + "elicitation":     askName,
		prefix + "sampling":        askModel,
		prefix + "list_roots":      askRoots,
		prefix + "request_state":   askWithState,
		prefix + "tampered_state":  askWithState,
		prefix + "multiple_inputs": askThreeInputs,
		prefix + "multi_round":     askTwice,
		prefix + "capabilities":    askSupported,
	}
}

func askName(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if name, _ := acceptedContent(req.Params.InputResponses, "user_name")["name"].(string); name != "" {
		return textResult("Hello, " + name + "!"), nil
	}
	return inputRequired("", sdk.InputRequestMap{"user_name": questionParams("What is your name?", "name", "string")})
}

func askModel(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if words := sampledText(req.Params.InputResponses, "capital_question"); words != "" {
		return textResult("The model says: " + words), nil
	}
	return inputRequired("", sdk.InputRequestMap{"capital_question": samplingParams("What is the capital of France?")})
}

func askRoots(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if got, ok := req.Params.InputResponses["client_roots"].(*sdk.ListRootsResult); ok {
		names := []string{}
		for _, root := range got.Roots {
			names = append(names, root.URI)
		}
		return textResult("Roots: " + strings.Join(names, ", ")), nil
	}
	return inputRequired("", sdk.InputRequestMap{"client_roots": &sdk.ListRootsParams{}})
}

func askWithState(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if req.Params.RequestState != "" {
		if _, valid := verifyState(req.Params.RequestState); !valid {
			return nil, invalidStateError()
		}
		if acceptedContent(req.Params.InputResponses, "confirm") != nil {
			return textResult("state-ok: the state came back and was confirmed"), nil
		}
	}
	return inputRequired(
		signState("confirm"),
		sdk.InputRequestMap{"confirm": questionParams("Is it right?", "ok", "boolean")},
	)
}

func askThreeInputs(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	all := req.Params.InputResponses
	name, _ := acceptedContent(all, "user_name")["name"].(string)
	roots, listed := all["client_roots"].(*sdk.ListRootsResult)
	if greeting := sampledText(all, "greeting"); name != "" && greeting != "" && listed {
		return textResult(fmt.Sprintf("%s %s, with %d roots", greeting, name, len(roots.Roots))), nil
	}
	return inputRequired(signState("three"), sdk.InputRequestMap{
		"user_name":    questionParams("What is your name?", "name", "string"),
		"greeting":     samplingParams("Write a greeting."),
		"client_roots": &sdk.ListRootsParams{},
	})
}

func askTwice(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if req.Params.RequestState == "" {
		return inputRequired(
			signState("first"),
			sdk.InputRequestMap{"step1": questionParams("What is your name?", "name", "string")},
		)
	}
	words, valid := verifyState(req.Params.RequestState)
	name, second := strings.CutPrefix(words, "second ")
	switch {
	case !valid:
		return nil, invalidStateError()
	case second:
		return textResult(
			fmt.Sprintf("%s likes %v", name, acceptedContent(req.Params.InputResponses, "step2")["color"]),
		), nil
	}
	name = fmt.Sprint(acceptedContent(req.Params.InputResponses, "step1")["name"])
	return inputRequired(
		signState("second "+name),
		sdk.InputRequestMap{"step2": questionParams("What is your favourite colour?", "color", "string")},
	)
}

func askSupported(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if len(req.Params.InputResponses) > 0 {
		return textResult("The client sent the input."), nil
	}
	requests := sdk.InputRequestMap{}
	if caps := req.ClientCapabilities(); caps != nil {
		if caps.Elicitation != nil {
			requests["user_name"] = questionParams("What is your name?", "name", "string")
		}
		if caps.Sampling != nil {
			requests["greeting"] = samplingParams("Write a greeting.")
		}
		if caps.RootsV2 != nil {
			requests["client_roots"] = &sdk.ListRootsParams{}
		}
	}
	if len(requests) == 0 {
		return textResult("The client supports none of the requests."), nil
	}
	return inputRequired("", requests)
}
