package mcpclient

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// namedServer is a real server over HTTP whose tools each say their own name.
func namedServer(t *testing.T) (server *sdk.Server, url string) {
	t.Helper()
	server = sdk.NewServer(&sdk.Implementation{Name: "shelf", Version: "1"}, nil)
	h := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil))
	t.Cleanup(func() {
		h.CloseClientConnections()
		h.Close()
		for session := range server.Sessions() {
			_ = session.Close()
		}
	})
	return server, h.URL
}

func addTool(server *sdk.Server, name string) {
	server.AddTool(&sdk.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: name}}}, nil
		})
}

func TestToolNamesStayWithTheirTools(t *testing.T) {
	server, url := namedServer(t)
	addTool(server, "read_file")
	addTool(server, "stable")
	s, _, _ := started(t, configText(`"srv": {"url": "`+url+`"}`))
	waitForState(t, s, "srv", stateReady)
	if r := call(t, s, "srv__read_file", `{}`); r.Value != "read_file" {
		t.Fatalf("got %+v", r)
	}
	owners := map[string]string{"srv__read_file": "read_file", "srv__stable": "stable"}
	for _, step := range []struct {
		what, remove, add string
	}{
		{"one that would be called the same takes its place", "read_file", "readFile"},
		{"the first is back and listed behind it", "", "read_file"},
		{"a third comes", "", "READ-FILE"},
		{"only the third stays", "readFile", "last"},
	} {
		if step.remove != "" {
			server.RemoveTools(step.remove)
		}
		addTool(server, step.add)
		s.mu.Lock()
		v := s.servers["srv"]
		s.mu.Unlock()
		v.relistSoon()
		eventually(t, step.what, func() bool {
			_, ok := s.ToolName("srv", step.add)
			return ok
		})
		for _, name := range find(s, "srv").Tools {
			text, _ := call(t, s, name, `{}`).Value.(string)
			if owner, known := owners[name]; known && text != owner {
				t.Errorf("%s: %s was %s and is %s", step.what, name, owner, text)
			}
			owners[name] = text
		}
	}
	if len(owners) != 6 {
		t.Errorf("the names were %v", owners)
	}
}
