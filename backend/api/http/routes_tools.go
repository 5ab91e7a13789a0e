package httpapi

import (
	"context"
	"encoding/json"
	"net/http"

	"sextant/backend/api/access"
	"sextant/backend/api/route"
	"sextant/backend/mcp/mcpclient"
	"sextant/backend/policy"
	"sextant/shared/event"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

type executeInput struct {
	Client string `header:"X-Client-Name" doc:"Name of the calling program, shown to the person." maxLength:"80"`
	Body   struct {
		_       struct{}        `json:"-" additionalProperties:"true"`
		Tool    string          `json:"tool" required:"false" doc:"Name of the tool." maxLength:"128"`
		Args    json.RawMessage `json:"args,omitempty" doc:"The tool's arguments, an object."`
		PanelID *string         `json:"panelId,omitempty" nullable:"true" doc:"Panel whose tools are in scope; the active one when absent." maxLength:"64"`
		Text    bool            `json:"text,omitempty" doc:"Whether the answer contains the text that a model would read."`
	}
}

// ToolAnswer is the result of a call.
type ToolAnswer struct {
	toolspec.Result
	// ModelText is the text that a model would read, if it was asked for.
	ModelText string `json:"text,omitempty"`
}

type toggleBody struct {
	Enabled *bool `json:"enabled,omitempty"`
}

func (s *Server) toggleTarget(name string, in *toggleBody) bool {
	if in != nil && in.Enabled != nil {
		return *in.Enabled
	}
	for _, server := range s.services.MCP.List() {
		if server.Name == name {
			return !server.Enabled
		}
	}
	return true
}

// ToolRow is a tool definition with its cost, state and permission.
type ToolRow struct {
	toolspec.Definition
	// Tokens estimates the size of the definition in a prompt.
	Tokens int `json:"tokens"`
	// Active is true if the tool can be called now.
	Active     bool                       `json:"active"`
	Permission policy.EffectivePermission `json:"effective"`
}

// ToolRows lists all tools. Tokens is the estimated sum of the active ones.
type ToolRows struct {
	Tools  []ToolRow `json:"tools"`
	Tokens int       `json:"tokens"`
}

func (s *Server) toolRoutes() {
	nav := s.services.Nav
	m, p := nav.Route("tools_execute")
	route.Add(s.api, m, p, "Run a tool through the pipeline", http.StatusOK, s.executeTool)
	m, p = nav.Route("tools_discover")
	route.Add(s.api, m, p, "Tools that can be called now, by origin", http.StatusOK,
		func(_ context.Context, in *struct {
			PanelID string `query:"panelId" maxLength:"64"`
		},
		) (*route.Body[wire.Discovery], error) {
			return route.Answer(s.services.Catalog.ForPanel(s.panelOrActive(in.PanelID)).Wire()), nil
		})
	m, p = nav.Route("tools_list")
	route.Add(s.api, m, p, "Tools that can be called now, in one list", http.StatusOK, s.listTools)
	route.Add(s.api, http.MethodGet, "/api/tools", "Every tool with its cost and state", http.StatusOK, s.allTools)
	route.Add(s.api, http.MethodPut, "/api/tools/{name}/permission", "Set the permission of every call of a tool",
		http.StatusOK, s.setPermission)
	m, p = nav.Route("mcp_list")
	route.Add(s.api, m, p, "MCP servers", http.StatusOK,
		func(context.Context, *route.Empty) (*route.Body[event.MCPList], error) {
			return route.Answer(event.MCPList{Servers: s.services.MCP.List()}), nil
		})
	m, p = nav.Route("mcp_toggle")
	route.Add(s.api, m, p, "Switch an MCP server on or off", http.StatusOK, func(ctx context.Context, in *struct {
		Name string      `path:"name" maxLength:"128"`
		Body *toggleBody `required:"false"`
	},
	) (*route.Body[event.MCPList], error) {
		if err := s.services.MCP.SetEnabled(ctx, in.Name, s.toggleTarget(in.Name, in.Body)); err != nil {
			if mcpclient.IsUnknownServer(err) {
				return nil, route.NotFound(err.Error())
			}
			return nil, route.RequestError(err)
		}
		return route.Answer(event.MCPList{Servers: s.services.MCP.List()}), nil
	})
	m, p = nav.Route("mcp_call")
	route.Add(s.api, m, p, "Call a tool of one MCP server", http.StatusOK, s.callMCP)
	route.Add(s.api, http.MethodPost, "/api/calls/{id}/cancel", "Stop a running call", http.StatusNoContent,
		func(_ context.Context, in *route.ByID) (*route.Empty, error) {
			if !s.services.Pipeline.Cancel(in.ID) {
				return nil, route.NotFound("No call with this id is running.")
			}
			return nil, nil
		})
}

func (s *Server) provenance(ctx context.Context, client string, args json.RawMessage) toolspec.Provenance {
	if access.IsWindow(ctx) {
		return toolspec.Provenance{Caller: toolspec.CallerPerson, Interactive: true, TypedHosts: typedHosts(args)}
	}
	return toolspec.Provenance{Caller: toolspec.CallerHTTP, Client: client, Interactive: s.services.HasWindow()}
}

func (s *Server) panelOrActive(id string) string {
	if id != "" {
		return id
	}
	return s.services.Workspace.ActivePanel()
}

func (s *Server) executeTool(ctx context.Context, in *executeInput) (*route.Body[ToolAnswer], error) {
	if in.Body.Tool == "" {
		return nil, route.BadRequest(`"tool" is missing. Send {"tool": "annotate_page", "args": {}}.`)
	}
	panel := ""
	if in.Body.PanelID != nil {
		panel = *in.Body.PanelID
	}
	r := s.runTool(ctx, in.Client, in.Body.Tool, panel, in.Body.Args).Body
	answer := ToolAnswer{Result: r}
	if in.Body.Text && r.Success {
		answer.ModelText = r.ModelText()
	}
	return route.Answer(answer), nil
}

func (s *Server) runTool(ctx context.Context, client, tool, panel string,
	args json.RawMessage,
) *route.Body[toolspec.Result] {
	if len(args) == 0 || string(args) == "null" {
		args = json.RawMessage("{}")
	}
	return route.Answer(s.services.Pipeline.Do(ctx, toolspec.Call{
		Tool: tool, Args: args, Panel: s.panelOrActive(panel), From: s.provenance(ctx, client, args),
	}))
}

func (s *Server) listTools(_ context.Context, in *struct {
	PanelID string `query:"panelId" maxLength:"64"`
},
) (*route.Body[struct {
	Tools []toolspec.Function `json:"tools"`
}], error,
) {
	out := route.Answer(struct {
		Tools []toolspec.Function `json:"tools"`
	}{Tools: []toolspec.Function{}})
	for _, d := range s.services.Catalog.ForPanel(s.panelOrActive(in.PanelID)).All() {
		out.Body.Tools = append(out.Body.Tools, d.Function())
	}
	return out, nil
}

func (s *Server) allTools(ctx context.Context, _ *route.Empty) (*route.Body[ToolRows], error) {
	rows := ToolRows{Tools: []ToolRow{}}
	active := s.services.Catalog.ForPanel(s.panelOrActive("")).All()
	seen := map[string]bool{}
	for _, d := range active {
		seen[d.Name] = true
		rows.add(d, true)
	}
	for _, d := range s.services.Panels.AllDefinitions() {
		if !seen[d.Name] {
			rows.add(d, false)
		}
	}
	for i, row := range rows.Tools {
		permission, err := s.services.Pipeline.Permission(
			ctx,
			row.Definition,
			s.services.Panels.DescribesEffects(row.Name),
		)
		if err != nil {
			return nil, route.InternalError("The rules could not be read. They are still in force.", err)
		}
		rows.Tools[i].Permission = permission
	}
	return route.Answer(rows), nil
}

func (r *ToolRows) add(d toolspec.Definition, active bool) {
	tokens := d.PromptBytes() / toolspec.BytesPerToken
	r.Tools = append(r.Tools, ToolRow{Definition: d, Tokens: tokens, Active: active})
	if active {
		r.Tokens += tokens
	}
}

func (s *Server) callMCP(ctx context.Context, in *struct {
	Client string `header:"X-Client-Name" maxLength:"80"`
	Body   struct {
		Server string          `json:"server" maxLength:"128"`
		Tool   string          `json:"tool" maxLength:"128"`
		Args   json.RawMessage `json:"args,omitempty"`
	}
},
) (*route.Body[toolspec.Result], error) {
	name, ok := s.services.MCP.ToolName(in.Body.Server, in.Body.Tool)
	if !ok {
		return nil, route.NotFound("There is no tool " + in.Body.Tool + " on a running MCP server " + in.Body.Server +
			".")
	}
	return s.runTool(ctx, in.Client, name, "", in.Body.Args), nil
}
