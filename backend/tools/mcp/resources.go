package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/tools/mcp/apps"
	"sextant/shared/toolspec"
)

// The tools that we add for a server that has resources. No name that a server gives comes to have two
// underscores in a row, so that what is allowed of ours never comes to mean one of its own.
const (
	listResources = "resources__list"
	readResource  = "resources__read"
)

// own are the tools that we add to those of a server.
func (v *server) own(session *sdk.ClientSession) []tool {
	is := session.InitializeResult()
	if is == nil || is.Capabilities == nil || !hasResources(is.Capabilities) {
		return nil
	}
	define := func(name, says, schema, example string) tool {
		return tool{ours: name, added: true, ui: apps.Tool{Model: true}, def: toolspec.Definition{
			Description: fmt.Sprintf(says, v.name), Parameters: json.RawMessage(schema), Origin: toolspec.OriginMCP, Owner: v.name, Group: "mcp",
			Examples: []json.RawMessage{json.RawMessage(example)}, Hints: hints(nil, v.entry.Command == ""),
		}}
	}
	return []tool{
		define(listResources, "Lists what the MCP server %s offers to read, and the forms of addresses that it can read.",
			`{"type":"object","properties":{"query":{"type":"string","maxLength":200,"description":"only those whose name or address has this in it"}},"additionalProperties":false}`,
			`{"query":"notes"}`),
		define(readResource, "Reads one resource of the MCP server %s by its address.",
			`{"type":"object","properties":{"uri":{"type":"string","minLength":1,"maxLength":4096,"description":"an address from the list, or one of a form of addresses with its parts filled in"}},"required":["uri"],"additionalProperties":false}`,
			`{"uri":"file:///notes.md"}`),
	}
}

// maxListed bounds how many resources one call lists.
const maxListed = 200

// added runs a tool that we added.
func (s *Servers) added(ctx context.Context, v *server, t tool, args json.RawMessage) toolspec.Result {
	var in struct{ URI, Query string }
	if len(args) > 0 {
		if err := json.Unmarshal(args, &in); err != nil {
			return toolspec.Fail(toolspec.UserError, "the arguments are not what this tool takes", "Look at its parameters.")
		}
	}
	var r toolspec.Result
	var err error
	if t.ours == readResource {
		r, err = s.readFor(ctx, v.name, in.URI)
	} else {
		r, err = s.listFor(ctx, v.name, in.Query)
	}
	if err != nil {
		r = toolspec.Fail(toolspec.UserError, sentence(err.Error()), "Look at the list of its resources for an address, or at its state in MCP servers.")
	}
	r.Sources = []string{"mcp:" + v.name}
	return r
}

func (s *Servers) listFor(ctx context.Context, server, query string) (toolspec.Result, error) {
	offers, err := s.Offers(ctx, server)
	if err != nil {
		return toolspec.Result{}, err
	}
	query = strings.ToLower(query)
	var lines []string
	left := 0
	add := func(uri, name, about, mime string) {
		switch {
		case query != "" && !strings.Contains(strings.ToLower(uri+"\n"+name), query):
		case len(lines) >= maxListed:
			left++
		default:
			line := "- " + one(uri, maxURI)
			for _, word := range []string{name, mime, shorten(about, 200)} {
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
		add(x.URI, x.Name, cmp.Or(x.About, "fill in what stands in braces"), x.MIME)
	}
	if left > 0 {
		lines = append(lines, fmt.Sprintf("%d more. Give a query to find others.", left))
	}
	r := toolspec.OK(strings.Join(lines, "\n"))
	if len(lines) == 0 {
		r = toolspec.OK("No resource fits.")
	}
	r.Sentence = fmt.Sprintf("%s: listed %d resources", server, min(len(offers.Resources)+len(offers.Templates), maxListed))
	return r, nil
}

func (s *Servers) readFor(ctx context.Context, server, uri string) (toolspec.Result, error) {
	if isApp(uri) {
		return toolspec.Fail(toolspec.UserError, "this is the page of an app, which is shown to the person and not read", "Call the app's tool."), nil
	}
	read, cut, err := s.whole(ctx, server, uri)
	if err != nil {
		return toolspec.Result{}, err
	}
	answer := &sdk.CallToolResult{}
	for _, c := range read {
		switch {
		case len(c.Blob) > 0 && strings.HasPrefix(c.MIMEType, "image/"):
			answer.Content = append(answer.Content, &sdk.ImageContent{MIMEType: c.MIMEType, Data: c.Blob})
		case c.URI == uri && len(c.Blob) == 0:
			answer.Content = append(answer.Content, &sdk.TextContent{Text: c.Text})
		default:
			answer.Content = append(answer.Content, &sdk.EmbeddedResource{Resource: c})
		}
	}
	r := Result(server, answer)
	switch {
	case cut:
		r.Text = r.ModelText() + fmt.Sprintf("\n… more than %d MB; the rest is left out", maxText>>20)
	case len(answer.Content) == 0:
		r.Text = "It is empty."
	}
	r.Sentence = fmt.Sprintf("%s: read %s", server, one(uri, 120))
	return r, nil
}
