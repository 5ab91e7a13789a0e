package mcproutes

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/api/access"
	"sextant/backend/api/route"
	"sextant/backend/mcp/mcpclient"
	"sextant/backend/mcp/resources"
)

type resourceBody struct {
	URI string `json:"uri" minLength:"1" maxLength:"4096"`
	On  bool   `json:"on,omitempty"`
}

// MCPWatchState reports whether a server reports changes of a resource.
type MCPWatchState struct {
	Watched bool `json:"watched"`
}

type promptBody struct {
	Prompt    string            `json:"prompt" minLength:"1" maxLength:"200"`
	Arguments map[string]string `json:"arguments,omitempty"`
}

// completeBody is a partly typed argument of Prompt, or of Template if Prompt is empty.
type completeBody struct {
	Prompt   string            `json:"prompt,omitempty" maxLength:"200"`
	Template string            `json:"template,omitempty" maxLength:"4096"`
	Argument string            `json:"argument" minLength:"1" maxLength:"200"`
	Typed    string            `json:"typed,omitempty" maxLength:"4096"`
	Others   map[string]string `json:"others,omitempty"`
}

// MCPCompletion contains a server's proposals for an argument.
type MCPCompletion struct {
	Values []string `json:"values"`
}

func askServer[T any](ctx context.Context, ask func() (T, error)) (*route.Body[T], error) {
	if err := access.RequireWindow(ctx); err != nil {
		return nil, err
	}
	got, err := ask()
	switch {
	case mcpclient.IsUnknownServer(err):
		return nil, route.NotFound(mcpclient.ErrorText(err))
	case err != nil:
		return nil, huma.NewError(http.StatusBadGateway, mcpclient.ErrorText(err))
	}
	return route.Answer(got), nil
}

// offerRoutes admits only windows: the policy does not check these requests.
func (r Routes) offerRoutes(one string) {
	servers := r.MCP
	route.Add(r.API, http.MethodGet, one+"/offers", "An MCP server's resources and prompts", http.StatusOK,
		func(ctx context.Context, in *serverPath) (*route.Body[resources.Offers], error) {
			return askServer(ctx, func() (resources.Offers, error) { return servers.Offers(ctx, in.Name) })
		})
	route.Add(r.API, http.MethodPost, one+"/resource", "Read a resource of an MCP server", http.StatusOK,
		func(ctx context.Context, in *struct {
			Name string `path:"name" maxLength:"128"`
			Body resourceBody
		},
		) (*route.Body[resources.Contents], error) {
			return askServer(ctx, func() (resources.Contents, error) {
				return servers.Contents(ctx, in.Name, in.Body.URI)
			})
		})
	route.Add(r.API, http.MethodPost, one+"/watch", "Watch a resource of an MCP server for changes", http.StatusOK,
		func(ctx context.Context, in *struct {
			Name string `path:"name" maxLength:"128"`
			Body resourceBody
		},
		) (*route.Body[MCPWatchState], error) {
			return askServer(ctx, func() (MCPWatchState, error) {
				watched, err := servers.Watch(ctx, in.Name, in.Body.URI, in.Body.On)
				return MCPWatchState{watched}, err
			})
		})
	route.Add(r.API, http.MethodPost, one+"/prompt", "Fill in a prompt of an MCP server", http.StatusOK,
		func(ctx context.Context, in *struct {
			Name string `path:"name" maxLength:"128"`
			Body promptBody
		},
		) (*route.Body[resources.Draft], error) {
			return askServer(ctx, func() (resources.Draft, error) {
				return servers.Draft(ctx, in.Name, in.Body.Prompt, in.Body.Arguments)
			})
		})
	route.Add(r.API, http.MethodPost, one+"/complete", "Complete an argument of a prompt or resource of an MCP server",
		http.StatusOK, func(ctx context.Context, in *struct {
			Name string `path:"name" maxLength:"128"`
			Body completeBody
		},
		) (*route.Body[MCPCompletion], error) {
			ref := sdk.CompleteReference{Type: "ref/prompt", Name: in.Body.Prompt}
			if in.Body.Prompt == "" {
				ref = sdk.CompleteReference{Type: "ref/resource", URI: in.Body.Template}
			}
			return askServer(ctx, func() (MCPCompletion, error) {
				values, err := servers.Complete(ctx, in.Name, ref, in.Body.Argument, in.Body.Typed, in.Body.Others)
				return MCPCompletion{append([]string{}, values...)}, err
			})
		})
}
