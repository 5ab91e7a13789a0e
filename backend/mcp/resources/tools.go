package resources

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/mcp/definitions"
	"sextant/backend/mcp/servertext"
	"sextant/backend/toolprovider/results"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

// A name in snake_case has no two underscores in a row, so a grant for one of these tools never applies to one of the
// server's own.
const (
	listTool = "resources__list"
	readTool = "resources__read"
)

// Tool is a tool that is added to a server's own. Name is the second argument of definitions.PublicName.
type Tool struct {
	Name       string
	Definition toolspec.Definition
}

// Tools returns the tools to add for a server with the capabilities can, which may be nil.
func Tools(server string, remote bool, can *sdk.ServerCapabilities) []Tool {
	if can == nil || !hasResources(can) {
		return nil
	}
	define := func(name, description, schema, example string) Tool {
		return Tool{Name: name, Definition: toolspec.Definition{
			Description: fmt.Sprintf(description, server), Parameters: json.RawMessage(schema),
			Origin: toolspec.OriginMCP, Owner: server, Group: "mcp",
			Examples: []json.RawMessage{json.RawMessage(example)}, Hints: definitions.Hints(nil, remote),
		}}
	}
	return []Tool{
		define(listTool, "Lists the resources that the MCP server %s offers, and the templates of addresses it can "+
			"read.",
			`{"type":"object","properties":{"query":{"type":"string","maxLength":200,`+
				`"description":"only resources whose name or address contains this"}},"additionalProperties":false}`,
			`{"query":"notes"}`),
		define(readTool, "Reads one resource of the MCP server %s by its address.",
			`{"type":"object","properties":{"uri":{"type":"string","minLength":1,"maxLength":4096,`+
				`"description":"an address from the list, or a template with its parts filled in"}},`+
				`"required":["uri"],"additionalProperties":false}`,
			`{"uri":"file:///notes.md"}`),
	}
}

const maxInAnswer = 200

// CallTool runs the added tool with that Tool.Name.
func (r Reader) CallTool(ctx context.Context, server, tool string, args json.RawMessage) toolspec.Result {
	var in struct{ URI, Query string }
	if len(args) > 0 {
		if err := json.Unmarshal(args, &in); err != nil {
			return toolspec.Fail(toolspec.UserError, "the arguments do not fit this tool", "Check its parameters.")
		}
	}
	var result toolspec.Result
	var err error
	if tool == readTool {
		result, err = r.callRead(ctx, server, in.URI)
	} else {
		result, err = r.callList(ctx, server, in.Query)
	}
	if err != nil {
		result = toolspec.Fail(toolspec.UserError, servertext.Sentence(err.Error()),
			"Take an address from the list of its resources, or check the server's state in the MCP servers panel.")
	}
	result.Sources = []string{"mcp:" + server}
	return result
}

func (r Reader) callList(ctx context.Context, server, query string) (toolspec.Result, error) {
	offers, err := r.Offers(ctx, server)
	if err != nil {
		return toolspec.Result{}, err
	}
	query = strings.ToLower(query)
	var lines []string
	more := 0
	add := func(uri, name, about, mime string) {
		switch {
		case query != "" && !strings.Contains(strings.ToLower(uri+"\n"+name), query):
		case len(lines) >= maxInAnswer:
			more++
		default:
			line := "- " + servertext.OneLine(uri, MaxURI)
			for _, word := range []string{name, mime, excerpt.TruncateRunes(about, 200)} {
				if word != "" && word != uri {
					line += " · " + word
				}
			}
			lines = append(lines, line)
		}
	}
	for _, x := range offers.Resources {
		add(x.URI, x.Name, x.About, x.MIME)
	}
	for _, x := range offers.Templates {
		add(x.URI, x.Name, cmp.Or(x.About, "fill in the parts in braces"), x.MIME)
	}
	if more > 0 {
		lines = append(lines, fmt.Sprintf("%d more. Give a query to find others.", more))
	}
	result := toolspec.OK(strings.Join(lines, "\n"))
	if len(lines) == 0 {
		result = toolspec.OK("No resource matches.")
	}
	result.Sentence = fmt.Sprintf("%s: listed %d resources", server,
		min(len(offers.Resources)+len(offers.Templates), maxInAnswer))
	return result, nil
}

func (r Reader) callRead(ctx context.Context, server, uri string) (toolspec.Result, error) {
	if isAppPage(uri) {
		return toolspec.Fail(toolspec.UserError, "this is the page of an app, which is shown to the person and cannot "+
			"be read",
			"Call the app's tool."), nil
	}
	contents, truncated, err := r.read(ctx, server, uri)
	if err != nil {
		return toolspec.Result{}, err
	}
	answer := &sdk.CallToolResult{}
	for _, c := range contents {
		switch {
		case len(c.Blob) > 0 && strings.HasPrefix(c.MIMEType, "image/"):
			answer.Content = append(answer.Content, &sdk.ImageContent{MIMEType: c.MIMEType, Data: c.Blob})
		case c.URI == uri && len(c.Blob) == 0:
			answer.Content = append(answer.Content, &sdk.TextContent{Text: c.Text})
		default:
			answer.Content = append(answer.Content, &sdk.EmbeddedResource{Resource: c})
		}
	}
	result := results.FromCallResult(server, answer)
	switch {
	case truncated:
		result.Text = result.ModelText() +
			fmt.Sprintf("\n… more than %d MB; the rest is left out", results.MaxText>>20)
	case len(answer.Content) == 0:
		result.Text = "It is empty."
	}
	result.Sentence = fmt.Sprintf("%s: read %s", server, servertext.OneLine(uri, 120))
	return result, nil
}
