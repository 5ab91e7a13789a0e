package registry

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/panels/manifest"
	"sextant/shared/toolspec"
)

// greeter is a real MCP server over HTTP.
func greeter() http.Handler {
	server := sdk.NewServer(&sdk.Implementation{Name: "greeter", Version: "1"}, nil)
	type asked struct {
		Name string `json:"name"`
	}
	sdk.AddTool(server, &sdk.Tool{Name: "greet", Description: "Greets"},
		func(_ context.Context, _ *sdk.CallToolRequest, in asked) (*sdk.CallToolResult, any, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "Hello " + in.Name}}}, nil, nil
		})
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
}

const greeting = `"tools":[{"name":"greeter_greet","description":"x","endpoint":"POST /api/greeter/greet","parameters":{"name":{"type":"string"}}},
  {"name":"greeter_lost","description":"x","endpoint":"POST /api/greeter/nowhere"}]`

func TestLocalMCPServer(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(greeter())
	defer server.Close()
	r, _, root := started(t, nil)
	put(t, root, "greeter", map[string]string{manifest.FileName: minimal("greeter",
		`,"backend":{"kind":"mcp","url":"`+server.URL+`"},`+greeting)})
	waitFor(t, r, "greeter")
	if got := mustSucceed(t, call(t, r, "greeter_greet", `{"name":"Ana"}`)); !strings.Contains(got, "Hello Ana") {
		t.Errorf("got %q", got)
	}
	mustFail(t, call(t, r, "greeter_lost", `{}`), toolspec.UserError, "refused nowhere",
		"last segment of the tool's endpoint")
	server.Close()
	mustFail(t, call(t, r, "greeter_greet", `{"name":"Ana"}`), toolspec.SystemError, "cannot be reached",
		"Other panels are not affected")
}

func TestRemoteMCPServerUsesEgress(t *testing.T) {
	t.Parallel()
	text := minimal("greeter",
		`,"permissions":{"net":["mcp.example.com"]},"backend":{"kind":"mcp","url":"https://mcp.example.com/mcp"},`+
			greeting)
	way := &asked{}
	r, _, root := started(t, func(c *Config) { c.Egress = way })
	put(t, root, "greeter", map[string]string{manifest.FileName: text})
	waitFor(t, r, "greeter")
	d := r.Describe(toolspec.Call{Tool: "greeter_greet"})
	if len(d.Hosts) != 1 || d.Hosts[0] != "mcp.example.com" {
		t.Errorf("the question names %v", d.Hosts)
	}
	call(t, r, "greeter_greet", `{"name":"Ana"}`)
	if len(way.urls) == 0 || !strings.HasPrefix(way.urls[0], "https://mcp.example.com/mcp") {
		t.Errorf("it was sent to %v", way.urls)
	}
	if found := manifest.Parse([]byte(strings.Replace(text, `["mcp.example.com"]`, `[]`, 1)), "greeter",
		false); found.Plan != nil {
		t.Error("a host that permissions.net does not name was taken")
	}
}
