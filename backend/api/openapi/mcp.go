package openapi

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"sextant/backend/api/mcpserver"
	"sextant/backend/api/route"
)

// describeMCP adds the MCP endpoint, which the SDK serves.
func describeMCP(document *huma.OpenAPI) {
	text := func(name, about string, values ...any) *huma.Param {
		return &huma.Param{
			Name: name, In: "query", Description: about,
			Schema: &huma.Schema{Type: "string", Enum: values},
		}
	}
	params := []*huma.Param{
		text("tools", "Which tools are offered; core without it.", "core", "environment", "all"),
		text("panel", "The id of a panel whose tools are offered too. An unknown one is an error at the start."),
		text("share", "true acts on the window's tabs; without it a client has tabs of its own.", "true", "false"),
		text("session", "A name of the client's own. Under 2026-07-28, which has no sessions, copies of one program "+
			"share tabs unless each gives another name."),
		{
			Name: "Mcp-Protocol-Version", In: "header", Description: "The revision, 2026-07-28 or an older one.",
			Schema: &huma.Schema{Type: "string"},
		},
		{
			Name: "Mcp-Session-Id", In: "header",
			Description: "The session that initialize began, in revisions before 2026-07-28.",
			Schema:      &huma.Schema{Type: "string"},
		},
	}
	object := &huma.Schema{Type: "object", AdditionalProperties: true}
	message := map[string]*huma.MediaType{"application/json": {Schema: object}}
	events := map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{Type: "string"}}}
	responses := map[string]*huma.Response{
		"200": {Description: "The answer, as one message or as a stream of them", Content: map[string]*huma.MediaType{
			"application/json": message["application/json"], "text/event-stream": events["text/event-stream"],
		}},
		"202": {Description: "The notification was accepted"},
		"400": {Description: "An error of JSON-RPC: the request, tools or panel is wrong", Content: message},
		"401": {Description: "The token is missing or wrong"},
		"404": {Description: "The session has ended; begin again with initialize"},
		"503": {Description: "64 programs have calls running; Retry-After says when to come back", Content: message},
	}
	about := "The Model Context Protocol over streamable HTTP, for other programs. Send the token as Authorization: " +
		"Bearer."
	for _, op := range []*huma.Operation{
		{
			Method: http.MethodPost, Summary: "Send an MCP message",
			RequestBody: &huma.RequestBody{Required: true, Content: message},
		},
		{Method: http.MethodGet, Summary: "Listen to an MCP session, in revisions before 2026-07-28"},
		{Method: http.MethodDelete, Summary: "End an MCP session, in revisions before 2026-07-28"},
	} {
		op.Path, op.Description, op.Parameters, op.Responses = mcpserver.JoinPath, about, params, responses
		op.OperationID = route.OperationID(op.Method, op.Path)
		document.AddOperation(op)
	}
}
