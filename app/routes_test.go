package app

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"sextant/shared/event"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// result reads a body as a tool's result.
func result(t *testing.T, body []byte) toolspec.Result {
	t.Helper()
	var r toolspec.Result
	if err := json.Unmarshal(body, &r); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return r
}

func TestPanelRoutesAcceptBothSpellings(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	c := clientOf(t, sys)
	for _, key := range []string{"panel", "panelId"} {
		for _, route := range []string{"panel_open", "panel_close"} {
			method, path := sys.Nav.Route(route)
			status, body := c.do(method, path, map[string]string{key: sys.Nav.SurfacePanel})
			if r := result(t, body); status != http.StatusOK || !r.Success {
				t.Errorf("%s with %s: status %d: %s", route, key, status, body)
			}
			if open := sys.Workspace.ActivePanel() == sys.Nav.SurfacePanel; open != (route == "panel_open") {
				t.Errorf("after %s with %s the panel is open: %v", route, key, open)
			}
		}
	}
	method, path := sys.Nav.Route("panel_open")
	if _, body := c.do(method, path, map[string]string{"panel": "no-such-panel"}); result(t,
		body).ErrorType != toolspec.ValidationError {
		t.Errorf("a panel that is not there: %s", body)
	}
}

func TestNotesAreStored(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	c := clientOf(t, sys)
	for route, args := range map[string]map[string]string{
		"prompt_notes": {"note": "Answer in German."}, "developer_notes": {"text": "The field has no label."},
	} {
		method, path := sys.Nav.Route(route)
		status, body := c.do(method, path, args)
		if r := result(t, body); status != http.StatusOK || !r.Success {
			t.Errorf("%s: status %d: %s", route, status, body)
		}
	}
	if notes := strings.Join(sys.Workspace.PromptNotes(), "\n"); !strings.Contains(notes, "German") {
		t.Errorf("prompt notes: %q", notes)
	}
}

func TestMCPServersAreListedToggledAndCalled(t *testing.T) {
	flags := testFlags(t)
	writeMCPConfig(t, flags, `{"mcpServers":{"dead":{"command":"/no/such/program"}}}`)
	sys := openWith(t, flags, OpenOptions{Serve: true})
	c := clientOf(t, sys)
	_, path := sys.Nav.Route("mcp_toggle")
	path = strings.Replace(path, "{name}", "dead", 1)
	for _, step := range []struct {
		body any
		want bool
	}{{nil, false}, {map[string]bool{"enabled": true}, true}, {map[string]bool{"enabled": false}, false}} {
		status, body := c.do(http.MethodPost, path, step.body)
		var list event.MCPList
		if err := json.Unmarshal(body, &list); err != nil || status != http.StatusOK || len(list.Servers) != 1 {
			t.Fatalf("toggle %v: status %d: %s", step.body, status, body)
		}
		if list.Servers[0].Enabled != step.want {
			t.Errorf("after toggle %v enabled is %v", step.body, list.Servers[0].Enabled)
		}
	}
	if r := c.execute("dead__x", nil); !strings.Contains(r.Error, "the MCP server dead is switched off") {
		t.Errorf("a tool of a server that is off: %+v", r)
	}
	if status, body := c.do(http.MethodPost, strings.Replace(path, "dead", "nobody", 1),
		nil); status != http.StatusNotFound {
		t.Errorf("a server that is not there: status %d: %s", status, body)
	}
	method, path := sys.Nav.Route("mcp_call")
	if status, body := c.do(method, path, map[string]string{
		"server": "dead",
		"tool":   "x",
	}); status != http.StatusNotFound {
		t.Errorf("a tool that is not there: status %d: %s", status, body)
	}
}

func TestToolOfMCPServerIsListedAndCalledOverHTTP(t *testing.T) {
	flags := testFlags(t)
	flags["mode"] = "full"
	sys := openWithPost(t, flags)
	c := clientOf(t, sys)
	get := func(path string, into any) {
		t.Helper()
		status, body := c.do(http.MethodGet, path, nil)
		if err := json.Unmarshal(body, into); err != nil || status != http.StatusOK {
			t.Fatalf("%s: status %d: %s", path, status, body)
		}
	}
	_, path := sys.Nav.Route("mcp_list")
	var list event.MCPList
	get(path, &list)
	if len(list.Servers) != 1 || list.Servers[0].Name != "post" || len(list.Servers[0].Tools) != 2 {
		t.Errorf("servers %+v", list)
	}
	var d wire.Discovery
	get("/api/ai/tools/discover?panelId=notes", &d)
	for what, functions := range map[string][]toolspec.Function{"panel": d.Panel, "mcp": d.MCP} {
		if len(functions) == 0 {
			t.Errorf("there are no functions of origin %s", what)
		}
		for _, f := range functions {
			if f.Type != "function" || f.Function.Description == "" || !json.Valid(f.Function.Parameters) ||
				string(d.Origins[f.Function.Name]) != what {
				t.Errorf("%s: %+v of origin %s", what, f, d.Origins[f.Function.Name])
			}
		}
	}
	method, path := sys.Nav.Route("mcp_call")
	status, body := c.do(method, path, map[string]any{"server": "post", "tool": "send", "args": map[string]any{}})
	if status != http.StatusOK || !strings.Contains(string(body), "The letter is sent.") {
		t.Errorf("status %d: %s", status, body)
	}
}

// Without the token no documented route answers, except the one that takes it in its body.
func TestEveryRouteNeedsToken(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	c := clientOf(t, sys)
	_, body := c.do(http.MethodGet, "/api/openapi.json", nil)
	var document struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(body, &document); err != nil || len(document.Paths) < 100 {
		t.Fatalf("%d paths, %v", len(document.Paths), err)
	}
	c.head = http.Header{}
	delete(document.Paths, "/api/session")
	for path, methods := range document.Paths {
		for method := range methods {
			if status, body := c.do(strings.ToUpper(method), path, nil); status != http.StatusUnauthorized {
				t.Errorf("%s %s: status %d: %.200s", method, path, status, body)
			}
		}
	}
}

func TestHTTPServerBoundsJSONOfAnyContentType(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	c := clientOf(t, sys)
	post := func(body string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.base+"/api/ai/tools/execute",
			strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = c.head.Clone()
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		var b bytes.Buffer
		_, _ = b.ReadFrom(res.Body)
		return res.StatusCode, b.String()
	}
	for body, want := range map[string]int{
		`{"tool":"get_active_panel","args":{},"panelId":null,"more":1}`: http.StatusOK,
		`{"tool":"get_active_panel"}`:                                   http.StatusOK,
		`{"args":{}}`:                                                   http.StatusBadRequest,
		`{"tool":`:                                                      http.StatusBadRequest,
		`{"tool":"` + strings.Repeat("x", 5<<20) + `"}`:                 http.StatusRequestEntityTooLarge,
	} {
		if status, answer := post(body); status != want {
			t.Errorf("%.40s: status %d, want %d: %.200s", body, status, want, answer)
		}
	}
	if status, body := c.do(http.MethodGet, "/api/no/such/route", nil); status != http.StatusNotFound ||
		!strings.Contains(string(body), "openapi") {
		t.Errorf("an unknown route: status %d: %s", status, body)
	}
	if status, body := c.do(http.MethodGet, "/api/openapi.json", nil); status != http.StatusOK ||
		!strings.Contains(string(body), `"Envelope"`) {
		t.Errorf("the OpenAPI document: status %d, %.100s", status, body)
	}
}

func TestPanelsStateIsForTheWindowOnly(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	program, window := clientOf(t, sys), windowOf(t, sys)
	route := "/api/panels/" + sys.Nav.Panels[0] + "/state"
	if status, body := program.do(http.MethodGet, route, nil); status != http.StatusOK ||
		!bytes.Contains(body, []byte(`"state":null`)) {
		t.Errorf("before anything was kept: %d %s", status, body)
	}
	if status, body := program.do(http.MethodPut, route, map[string]any{"state": 1}); status != http.StatusForbidden {
		t.Errorf("a program keeps a panel's state: %d %s", status, body)
	}
	if status, body := window.do(http.MethodPut, route,
		map[string]any{"state": map[string]any{"at": 3}}); status != http.StatusNoContent {
		t.Errorf("%d %s", status, body)
	}
	if status, body := window.do(http.MethodGet, route, nil); status != http.StatusOK ||
		!bytes.Contains(body, []byte(`"state":{"at":3}`)) {
		t.Errorf("%d %s", status, body)
	}
	if status, _ := window.do(http.MethodPut, route,
		map[string]any{"state": strings.Repeat("x", 256<<10)}); status != http.StatusRequestEntityTooLarge {
		t.Errorf("more than 256 KB: %d", status)
	}
	if status, _ := window.do(http.MethodPut, "/api/panels/no-such-panel/state",
		map[string]any{"state": 1}); status != http.StatusNotFound {
		t.Errorf("a panel that is not there: %d", status)
	}
}
