package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/agent/loop"
	"sextant/backend/tools/mcp"
	"sextant/backend/tools/mcp/resources"
	"sextant/shared/chat"
	"sextant/shared/event"
)

// resourceBody names a resource of a server.
type resourceBody struct {
	URI string `json:"uri" minLength:"1" maxLength:"4096"`
	On  bool   `json:"on,omitempty"`
}

// MCPWatched says whether a server tells when a resource changes.
type MCPWatched struct {
	Watched bool `json:"watched"`
}

// promptBody is a prompt and what it is filled in with.
type promptBody struct {
	Prompt    string            `json:"prompt" minLength:"1" maxLength:"200"`
	Arguments map[string]string `json:"arguments,omitempty"`
}

// completeBody is an argument that is being written: of the prompt, or of the template when there is none.
type completeBody struct {
	Prompt   string            `json:"prompt,omitempty" maxLength:"200"`
	Template string            `json:"template,omitempty" maxLength:"4096"`
	Argument string            `json:"argument" minLength:"1" maxLength:"200"`
	Typed    string            `json:"typed,omitempty" maxLength:"4096"`
	Others   map[string]string `json:"others,omitempty"`
}

// MCPCompletion are a server's proposals for an argument.
type MCPCompletion struct {
	Values []string `json:"values"`
}

// offered answers the person's question to a server. What is said of an error is the server's, and short.
func offered[T any](ctx context.Context, ask func() (T, error)) (*body[T], error) {
	if err := personOnly(ctx); err != nil {
		return nil, err
	}
	got, err := ask()
	switch {
	case mcp.IsUnknown(err):
		return nil, notFound(mcp.Why(err))
	case err != nil:
		return nil, huma.NewError(http.StatusBadGateway, mcp.Why(err))
	}
	return answer(got), nil
}

// offerRoutes are what a person reads of a server beside its tools. They pass no policy, so that
// only a window may ask: whoever else reads a resource calls the server's tool for it.
func (s *Server) offerRoutes(one string) {
	servers := s.rooms.MCP
	add(s, http.MethodGet, one+"/offers", "An MCP server's resources and prompts", http.StatusOK, func(ctx context.Context, in *serverPath) (*body[resources.Offers], error) {
		return offered(ctx, func() (resources.Offers, error) { return servers.Offers(ctx, in.Name) })
	})
	add(s, http.MethodPost, one+"/resource", "Read a resource of an MCP server", http.StatusOK, func(ctx context.Context, in *struct {
		Name string `path:"name" maxLength:"128"`
		Body resourceBody
	},
	) (*body[resources.Contents], error) {
		return offered(ctx, func() (resources.Contents, error) { return servers.Contents(ctx, in.Name, in.Body.URI) })
	})
	add(s, http.MethodPost, one+"/watch", "Be told when a resource of an MCP server changes", http.StatusOK, func(ctx context.Context, in *struct {
		Name string `path:"name" maxLength:"128"`
		Body resourceBody
	},
	) (*body[MCPWatched], error) {
		return offered(ctx, func() (MCPWatched, error) {
			watched, err := servers.Watch(ctx, in.Name, in.Body.URI, in.Body.On)
			return MCPWatched{watched}, err
		})
	})
	add(s, http.MethodPost, one+"/prompt", "Fill in a prompt of an MCP server", http.StatusOK, func(ctx context.Context, in *struct {
		Name string `path:"name" maxLength:"128"`
		Body promptBody
	},
	) (*body[resources.Draft], error) {
		return offered(ctx, func() (resources.Draft, error) { return servers.Draft(ctx, in.Name, in.Body.Prompt, in.Body.Arguments) })
	})
	add(s, http.MethodPost, one+"/complete", "Complete an argument of a prompt or resource of an MCP server", http.StatusOK, func(ctx context.Context, in *struct {
		Name string `path:"name" maxLength:"128"`
		Body completeBody
	},
	) (*body[MCPCompletion], error) {
		ref := sdk.CompleteReference{Type: "ref/prompt", Name: in.Body.Prompt}
		if in.Body.Prompt == "" {
			ref = sdk.CompleteReference{Type: "ref/resource", URI: in.Body.Template}
		}
		return offered(ctx, func() (MCPCompletion, error) {
			values, err := servers.Complete(ctx, in.Name, ref, in.Body.Argument, in.Body.Typed, in.Body.Others)
			return MCPCompletion{append([]string{}, values...)}, err
		})
	})
}

// Given is what goes with a message: texts of MCP servers, and the servers and
// panels whose words the message has.
type Given struct {
	Attached []resources.Attachment `json:"attached,omitempty" maxItems:"8" doc:"Texts of MCP servers that a model reads with it, as text from outside."`
	From     []string               `json:"from,omitempty" maxItems:"8" doc:"MCP servers whose words stand in the text, and panels as panel:<id>."`
}

// panelWords begins the name of a panel whose page proposed words of a message.
const panelWords = "panel:"

// with adds what goes with a message to ask. Where it is from is said by us: a server has to be known.
func (s *Server) with(ask *loop.Ask, g Given) error {
	list := s.rooms.MCP.List()
	source := func(server string) (string, error) {
		if !slices.ContainsFunc(list, func(one event.MCPServer) bool { return one.Name == server }) {
			return "", badRequest(fmt.Sprintf("There is no MCP server %.64q any more, whose text goes with the message. Nothing was sent; take its text out.", server))
		}
		return "mcp:" + server, nil
	}
	for _, a := range g.Attached {
		from, err := source(a.Server)
		if err != nil {
			return err
		}
		ask.Attached = append(ask.Attached, chat.Attached{Source: from, Title: a.Title, Text: a.Text})
	}
	for _, name := range g.From {
		from, err := name, error(nil)
		if id, panel := strings.CutPrefix(name, panelWords); !panel || s.knownPanel(id) != nil {
			from, err = source(name)
		}
		if err != nil {
			return err
		}
		ask.From = append(ask.From, from)
	}
	return nil
}
