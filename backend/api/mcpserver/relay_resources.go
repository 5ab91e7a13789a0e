package mcpserver

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

type relayedResources struct{ r *relay }

// Resources implements ResourceProvider.
func (r relayedResources) Resources(ctx context.Context, req *sdk.ListResourcesRequest) ([]*sdk.Resource, error) {
	list, err := forward(ctx, r.r, req,
		func(s *sdk.ClientSession) (*sdk.ListResourcesResult, error) { return s.ListResources(ctx, nil) })
	if err != nil {
		return nil, err
	}
	return list.Resources, nil
}

// Templates implements ResourceProvider.
func (r relayedResources) Templates(ctx context.Context,
	req *sdk.ListResourceTemplatesRequest,
) ([]*sdk.ResourceTemplate, error) {
	list, err := forward(ctx, r.r, req, func(s *sdk.ClientSession) (*sdk.ListResourceTemplatesResult, error) {
		return s.ListResourceTemplates(ctx, nil)
	})
	if err != nil {
		return nil, err
	}
	return list.ResourceTemplates, nil
}

// Read implements ResourceProvider.
func (r relayedResources) Read(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	return forward(ctx, r.r, req, func(s *sdk.ClientSession) (*sdk.ReadResourceResult, error) {
		return s.ReadResource(ctx, &sdk.ReadResourceParams{URI: req.Params.URI})
	})
}

// Prompts implements ResourceProvider.
func (r relayedResources) Prompts(ctx context.Context, req *sdk.ListPromptsRequest) ([]*sdk.Prompt, error) {
	list, err := forward(ctx, r.r, req,
		func(s *sdk.ClientSession) (*sdk.ListPromptsResult, error) { return s.ListPrompts(ctx, nil) })
	if err != nil {
		return nil, err
	}
	return list.Prompts, nil
}

// Prompt implements ResourceProvider.
func (r relayedResources) Prompt(ctx context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
	return forward(ctx, r.r, req, func(s *sdk.ClientSession) (*sdk.GetPromptResult, error) {
		return s.GetPrompt(ctx, &sdk.GetPromptParams{Name: req.Params.Name, Arguments: req.Params.Arguments})
	})
}

// Complete implements ResourceProvider.
func (r relayedResources) Complete(ctx context.Context, req *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	return forward(ctx, r.r, req, func(s *sdk.ClientSession) (*sdk.CompleteResult, error) {
		return s.Complete(ctx, &sdk.CompleteParams{
			Ref: req.Params.Ref, Argument: req.Params.Argument,
			Context: req.Params.Context,
		})
	})
}
