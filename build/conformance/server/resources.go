package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// resourceProvider provides the suite's resources and prompts.
type resourceProvider struct{}

// Resources implements mcpserver.ResourceProvider.
func (resourceProvider) Resources(context.Context, *sdk.ListResourcesRequest) ([]*sdk.Resource, error) {
	return []*sdk.Resource{
		{URI: "test://static-text", Name: "static-text", Description: "A text.", MIMEType: "text/plain"},
		{URI: "test://static-binary", Name: "static-binary", Description: "A picture.", MIMEType: "image/png"},
		{
			URI: "test://watched-resource", Name: "watched-resource", Description: "One to subscribe to.",
			MIMEType: "text/plain",
		},
	}, nil
}

// Templates implements mcpserver.ResourceProvider.
func (resourceProvider) Templates(context.Context, *sdk.ListResourceTemplatesRequest) ([]*sdk.ResourceTemplate, error) {
	return []*sdk.ResourceTemplate{{
		URITemplate: "test://template/{id}/data", Name: "template",
		Description: "Data by its id.", MIMEType: "application/json",
	}}, nil
}

// Read implements mcpserver.ResourceProvider.
func (resourceProvider) Read(_ context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	uri := req.Params.URI
	one := func(c sdk.ResourceContents) (*sdk.ReadResourceResult, error) {
		c.URI = uri
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{&c}}, nil
	}
	switch uri {
	case "test://static-text":
		return one(sdk.ResourceContents{
			MIMEType: "text/plain",
			Text:     "This is the content of the static text resource.",
		})
	case "test://static-binary":
		return one(sdk.ResourceContents{MIMEType: "image/png", Blob: onePixelPNG()})
	case "test://watched-resource":
		return one(sdk.ResourceContents{MIMEType: "text/plain", Text: "Watched resource content"})
	}
	rest, ok := strings.CutPrefix(uri, "test://template/")
	id, whole := strings.CutSuffix(rest, "/data")
	if !ok || !whole || id == "" || strings.Contains(id, "/") {
		return nil, sdk.ResourceNotFoundError(uri)
	}
	return one(sdk.ResourceContents{
		MIMEType: "application/json",
		Text:     fmt.Sprintf(`{"id":%q,"templateTest":true,"data":%q}`, id, "Data for ID: "+id),
	})
}

// Prompts implements mcpserver.ResourceProvider.
func (resourceProvider) Prompts(context.Context, *sdk.ListPromptsRequest) ([]*sdk.Prompt, error) {
	return []*sdk.Prompt{
		{Name: "test_simple_prompt", Description: "Has no arguments."},
		{Name: "test_prompt_with_arguments", Description: "Has two arguments.", Arguments: []*sdk.PromptArgument{
			{Name: "arg1", Description: "The first.", Required: true},
			{Name: "arg2", Description: "The second.", Required: true},
		}},
		{
			Name:        "test_prompt_with_embedded_resource",
			Description: "Contains a resource.",
			Arguments: []*sdk.PromptArgument{
				{Name: "resourceUri", Description: "Its address.", Required: true},
			},
		},
		{Name: "test_prompt_with_image", Description: "Contains a picture."},
		{Name: "test_input_required_result_prompt", Description: "Asks before it answers."},
	}, nil
}

// Prompt implements mcpserver.ResourceProvider.
func (resourceProvider) Prompt(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
	result := func(parts ...sdk.Content) (*sdk.GetPromptResult, error) {
		out := &sdk.GetPromptResult{}
		for _, part := range parts {
			out.Messages = append(out.Messages, &sdk.PromptMessage{Role: "user", Content: part})
		}
		return out, nil
	}
	args := req.Params.Arguments
	switch req.Params.Name {
	case "test_simple_prompt":
		return result(text("This is a simple prompt for testing."))
	case "test_prompt_with_arguments":
		return result(text(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", args["arg1"], args["arg2"])))
	case "test_prompt_with_embedded_resource":
		return result(&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{
			URI:      args["resourceUri"],
			MIMEType: "text/plain", Text: "Embedded resource content for testing.",
		}},
			text("Please process the embedded resource above."))
	case "test_prompt_with_image":
		return result(
			&sdk.ImageContent{MIMEType: "image/png", Data: onePixelPNG()},
			text("Please analyze the image above."),
		)
	case "test_input_required_result_prompt":
		if content := acceptedContent(req.Params.InputResponses, "user_context"); content != nil {
			return result(text(fmt.Sprintf("Context: %v", content["context"])))
		}
		return &sdk.GetPromptResult{
			InputRequests: sdk.InputRequestMap{
				"user_context": questionParams("What is the context?", "context", "string"),
			},
		}, nil
	}
	return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "unknown prompt " + req.Params.Name}
}

// Complete implements mcpserver.ResourceProvider.
func (resourceProvider) Complete(_ context.Context, req *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: []string{req.Params.Argument.Value +
		"ing"}, Total: 1}}, nil
}

func text(words string) *sdk.TextContent { return &sdk.TextContent{Text: words} }
