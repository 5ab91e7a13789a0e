package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	mcpconfig "sextant/backend/mcp/config"
	"sextant/shared/toolspec"
)

// ofPanel makes a call of a panel's tool.
func ofPanel(t *testing.T, sys *System, from toolspec.Provenance, panel, tool, args string) toolspec.Result {
	t.Helper()
	return sys.Pipeline.Do(t.Context(), toolspec.Call{
		Tool: tool, Panel: panel, Args: json.RawMessage(args),
		From: from,
	})
}

var (
	byModel  = toolspec.Provenance{Caller: toolspec.CallerModel, Conversation: "talk", Turn: "t1"}
	byPerson = toolspec.Provenance{Caller: toolspec.CallerPerson, Interactive: true}
	saidYes  = toolspec.Provenance{Caller: toolspec.CallerRun, YesTo: "all"}
)

func TestToolsOfABuiltInPanelExistWhileItIsActive(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	everywhere := map[string]bool{}
	for _, d := range sys.Catalog.ForPanel("").All() {
		everywhere[d.Name] = true
	}
	for _, panel := range []string{"home", "browser", "terminal", "tools", "mcp-servers", "settings"} {
		own := 0
		for _, d := range sys.Catalog.ForPanel(panel).All() {
			if d.Owner == panel && d.Origin == toolspec.OriginPanel {
				own++
				if everywhere[d.Name] {
					t.Errorf("%s of %s is offered without its panel", d.Name, panel)
				}
			}
		}
		if own < 3 {
			t.Errorf("%s has %d tools of its own", panel, own)
		}
	}
}

// What a person decides about rights, no call of a model changes, in whatever mode.
func TestModelCannotWidenItsPermissionsThroughPanels(t *testing.T) {
	for _, mode := range []string{"ask", "full"} {
		flags := testFlags(t)
		flags["mode"] = mode
		sys := openWith(t, flags, OpenOptions{Serve: true})
		yes := byModel
		yes.YesTo = "all"
		for _, c := range []struct{ panel, tool, args string }{
			{"settings", "settings_set", `{"key":"mode","value":"full"}`},
			{"settings", "settings_set", `{"key":"calls_per_turn","value":"9999"}`},
			{"settings", "settings_set", `{"key":"openai_base_url","value":"https://evil.example"}`},
			{"settings", "settings_set", `{"key":"tools_off","value":""}`},
			{"tools", "tool_switch", `{"tool":"bash","on":true}`},
			{"mcp-servers", "mcp_server_toggle", `{"name":"x","on":true}`},
		} {
			if r := ofPanel(t, sys, yes, c.panel, c.tool, c.args); r.Success ||
				r.ErrorType != toolspec.PermissionError {
				t.Errorf("%s: %s %s: %+v", mode, c.tool, c.args, r)
			}
		}
		marker := filepath.Join(t.TempDir(), "ran")
		r := ofPanel(t, sys, yes, "mcp-servers", "mcp_server_add", `{"name":"evil","command":"touch","args":["`+marker+
			`"]}`)
		if r.Success {
			for _, s := range sys.MCP.List() {
				if s.Enabled || s.State != "off" {
					t.Errorf("a proposed server is on: %+v", s)
				}
			}
		}
		if _, err := os.Stat(marker); err == nil {
			t.Error("the command of a proposed server ran")
		}
	}
}

func TestOnlyAPersonSwitchesAToolOn(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	if r := ofPanel(t, sys, byModel, "tools", "tool_switch", `{"tool":"wget","on":false}`); !r.Success {
		t.Fatalf("%+v", r)
	}
	for _, d := range sys.Catalog.ForPanel("").All() {
		if d.Name == "wget" {
			t.Error("it is offered still")
		}
	}
	if r := ofPanel(t, sys, byModel, "", "wget", `{"uri":"https://example.com"}`); r.Success {
		t.Errorf("%+v", r)
	}
	if r := ofPanel(t, sys, byModel, "tools", "tool_switch", `{"tool":"no_such_tool","on":false}`); r.Success {
		t.Errorf("%+v", r)
	}
	if r := ofPanel(t, sys, byPerson, "tools", "tool_switch", `{"tool":"wget","on":true}`); !r.Success {
		t.Errorf("%+v", r)
	}
	if len(sys.Settings.List("tools_off")) != 0 {
		t.Errorf("%v", sys.Settings.List("tools_off"))
	}
}

func TestActivityShowsACallerItsOwnCalls(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	other := byModel
	other.Conversation = "another"
	ofPanel(t, sys, other, "", "get_workspace_state", `{}`)
	ofPanel(t, sys, byModel, "", "get_active_panel", `{}`)
	mine := ofPanel(t, sys, byModel, "tools", "activity_list", `{}`)
	if !strings.Contains(mine.ModelText(), "get_active_panel") ||
		strings.Contains(mine.ModelText(), "get_workspace_state") {
		t.Errorf("%s", mine.ModelText())
	}
	all := ofPanel(t, sys, byPerson, "tools", "activity_list", `{}`)
	if !strings.Contains(all.ModelText(), "get_workspace_state") {
		t.Errorf("%s", all.ModelText())
	}
	rows, err := sys.Audit.List(t.Context(), 50)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		r := ofPanel(t, sys, byModel, "tools", "activity_show", `{"call":"`+row.ID+`"}`)
		if r.Success != (row.Conversation == "talk") {
			t.Errorf("%s of %q: %+v", row.Tool, row.Conversation, r)
		}
		if r.Success && len(r.Sources) == 0 {
			t.Errorf("arguments of an earlier call count as nobody's words: %+v", r)
		}
	}
}

func TestSettingsAndStateContainNoSecrets(t *testing.T) {
	flags := testFlags(t)
	flags["openai_api_key"] = "sk-very-secret-key-1234567890"
	sys := openWith(t, flags, OpenOptions{Serve: true})
	for _, c := range []struct{ panel, tool, args, want string }{
		{"settings", "settings_list", `{}`, "openai_api_key"},
		{"settings", "settings_explain", `{"key":"openai_api_key"}`, "set, not shown"},
		{"settings", "settings_explain", `{"key":"mode"}`, "the user"},
		{"home", "home_overview", `{}`, `"mode"`},
	} {
		r := ofPanel(t, sys, byModel, c.panel, c.tool, c.args)
		if !r.Success || !strings.Contains(r.ModelText(), c.want) || strings.Contains(r.ModelText(), "very-secret") {
			t.Errorf("%s %s: %+v", c.tool, c.args, r)
		}
	}
	program := toolspec.Provenance{Caller: toolspec.CallerMCP, Client: "x"}
	if r := ofPanel(t, sys, program, "home", "home_search_conversations", `{"words":"a"}`); r.Success {
		t.Errorf("a program reads conversations: %+v", r)
	}
	if r := ofPanel(t, sys, saidYes, "settings", "settings_set", `{"key":"theme","value":"light"}`); !r.Success ||
		sys.Settings.Get("theme") != "light" {
		t.Errorf("%+v", r)
	}
}

func TestBookmarksNameTheirOrigin(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	if r := ofPanel(t, sys, byModel, "browser", "browser_bookmark_add", `{}`); r.Success {
		t.Errorf("nothing is in front: %+v", r)
	}
	for _, bad := range []string{"javascript:alert(1)", "file:///etc/passwd", "x"} {
		if r := ofPanel(t, sys, byModel, "browser", "browser_bookmark_add", `{"url":"`+bad+`"}`); r.Success {
			t.Errorf("%s: %+v", bad, r)
		}
	}
	add := `{"url":"https://lamps.example/desk","title":"Desk lamps","note":"cheap"}`
	if r := ofPanel(t, sys, byModel, "browser", "browser_bookmark_add", add); !r.Success {
		t.Fatalf("%+v", r)
	}
	r := ofPanel(t, sys, byModel, "browser", "browser_bookmarks", `{"query":"lamps cheap"}`)
	if !strings.Contains(r.ModelText(), "Desk lamps") || len(r.Sources) != 1 ||
		r.Sources[0] != "https://lamps.example" {
		t.Errorf("%+v", r)
	}
	if r := ofPanel(t, sys, saidYes, "browser", "browser_bookmark_remove",
		`{"url":"https://lamps.example/desk"}`); !r.Success {
		t.Errorf("%+v", r)
	}
	if r := ofPanel(t, sys, byModel, "browser", "browser_bookmarks", `{}`); strings.Contains(r.ModelText(), "Desk") {
		t.Errorf("%+v", r)
	}
}

func TestMCPServersAreChangedInTheirFile(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	window := windowOf(t, sys)
	if status, body := window.do("POST", "/api/mcp-servers",
		map[string]any{"name": "one", "entry": mcpconfig.Entry{
			Command: "sh",
			Args:    []string{"-c", "echo last words >&2; exit 4"},
		}}); status != 200 {
		t.Fatalf("%d %s", status, body)
	}
	if status, body := window.do("POST", "/api/mcp-servers",
		map[string]any{"name": "one", "entry": mcpconfig.Entry{Command: "true"}}); status == 200 {
		t.Errorf("a name was taken twice: %s", body)
	}
	if status, body := window.do("POST", "/api/mcp-servers/import",
		map[string]any{"text": `{"mcpServers":{"two":{"command":"nosuch"},"one":{"command":"x"}}}`}); status != 200 ||
		!strings.Contains(string(body), `"two"`) {
		t.Errorf("%d %s", status, body)
	}
	for _, s := range sys.MCP.List() {
		if s.Name == "two" && s.Enabled {
			t.Error("an imported server is on")
		}
	}
	if status, body := window.do("PUT", "/api/mcp-servers/two",
		map[string]any{"entry": mcpconfig.Entry{URL: "https://mcp.example/", Disabled: true}}); status != 200 ||
		!strings.Contains(string(body), "mcp.example") {
		t.Errorf("%d %s", status, body)
	}
	if status, _ := clientOf(t, sys).do("DELETE", "/api/mcp-servers/one", nil); status != 403 {
		t.Errorf("a program removed a server: %d", status)
	}
	if status, body := window.do("POST", "/api/mcp-servers/one/restart", nil); status != 200 {
		t.Errorf("%d %s", status, body)
	}
	if status, body := window.do("DELETE", "/api/mcp-servers/one", nil); status != 200 ||
		strings.Contains(string(body), `"one"`) {
		t.Errorf("%d %s", status, body)
	}
	if status, _ := window.do("DELETE", "/api/mcp-servers/one", nil); status != 404 {
		t.Errorf("removed twice: %d", status)
	}
}

func TestImportIsPreviewed(t *testing.T) {
	flags := testFlags(t)
	sys := openWith(t, flags, OpenOptions{Serve: true})
	window := windowOf(t, sys)
	list := `{"servers":{"a":{"command":"nosuch","args":["x"]},"b":{"command":"nosuch","env":{"K":"${input:k}"}}}}`
	status, body := window.do("POST", "/api/mcp-servers/import/preview", map[string]any{"text": list})
	if status != 200 || !strings.Contains(string(body), `"line":"nosuch x"`) ||
		!strings.Contains(string(body), "VS Code asks for") || len(sys.MCP.List()) != 0 {
		t.Fatalf("%d %s", status, body)
	}
	if status, _ := clientOf(t, sys).do("POST", "/api/mcp-servers/import/preview",
		map[string]any{"path": "/etc/hostname"}); status != 403 {
		t.Errorf("a program had a file read: %d", status)
	}
	if status, body := window.do("POST", "/api/mcp-servers/import",
		map[string]any{"text": list, "names": []string{"b"}}); status != 200 || len(sys.MCP.List()) != 1 {
		t.Errorf("%d %s", status, body)
	}
	file := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(file, []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	var looked struct{ Digest string }
	if _, body := window.do("POST", "/api/mcp-servers/import/preview",
		map[string]any{"path": file}); json.Unmarshal(body, &looked) != nil || len(looked.Digest) != 64 {
		t.Errorf("the preview has no digest: %s", body)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(list, "nosuch", "other", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, digest := range []string{looked.Digest, ""} {
		if status, body := window.do("POST", "/api/mcp-servers/import",
			map[string]any{"path": file, "digest": digest}); status == 200 ||
			!strings.Contains(string(body), "not what the preview showed") || len(sys.MCP.List()) != 1 {
			t.Errorf("a file that changed after it was looked at: %d %s", status, body)
		}
	}
	if err := os.WriteFile(file, []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
}
