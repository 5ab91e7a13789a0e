package mcpclient

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/mcp/apps"
	"sextant/shared/toolspec"
)

// appServer has a tool that a page shows, one for the page alone, one that the page may not call, and
// returns what the client declared about MCP Apps.
func appServer(s *sdk.Server) {
	const page = "ui://tester/board"
	add := func(name string, meta sdk.Meta, do func(req *sdk.CallToolRequest) *sdk.CallToolResult) {
		s.AddTool(&sdk.Tool{Name: name, Meta: meta, InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return do(req), nil })
	}
	add("board", sdk.Meta{"ui": map[string]any{"resourceUri": page}},
		func(req *sdk.CallToolRequest) *sdk.CallToolResult {
			declared, _ := json.Marshal(req.Session.InitializeParams().Capabilities.Extensions)
			return &sdk.CallToolResult{
				Content:           []sdk.Content{&sdk.TextContent{Text: string(declared)}},
				StructuredContent: map[string]any{"n": 7},
				Meta:              sdk.Meta{"at": "noon"},
			}
		})
	add("board_move", sdk.Meta{"ui": map[string]any{"resourceUri": page, "visibility": []string{"app"}}},
		func(*sdk.CallToolRequest) *sdk.CallToolResult {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "moved"}}}
		})
	add("board_plan", sdk.Meta{"ui/resourceUri": page, "ui": map[string]any{"visibility": []string{"model"}}},
		func(*sdk.CallToolRequest) *sdk.CallToolResult {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "planned"}}}
		})
	s.AddResource(&sdk.Resource{URI: page, Name: "board", MIMEType: apps.MIME},
		func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{
				URI: page, MIMEType: apps.MIME, Text: "<!doctype html><p>board",
				Meta: sdk.Meta{"ui": map[string]any{
					"csp": map[string]any{"connectDomains": []string{"https://api.example.com"}},
				}},
			}}}, nil
		})
}

func TestAppToolVisibility(t *testing.T) {
	s, _, _ := started(t, configText(`"tester": `+stdio(t, "apps", "")))
	eventually(t, "it runs", func() bool { return find(s, "tester").State == stateReady })
	names := func(defs []toolspec.Definition) (list []string) {
		for _, d := range defs {
			if strings.Contains(d.Name, "board") {
				list = append(list, d.Name)
			}
		}
		return list
	}
	if diff := cmp.Diff([]string{"tester__board", "tester__board_plan"}, names(s.Definitions(""))); diff != "" {
		t.Errorf("the model gets (-want +got):\n%s", diff)
	}
	want := []string{"tester__board", "tester__board_move"}
	if diff := cmp.Diff(want, names(s.AppDefinitions("tester"))); diff != "" {
		t.Errorf("the page gets (-want +got):\n%s", diff)
	}
	if got := s.AppDefinitions("other"); got != nil {
		t.Errorf("another server's page gets %v", got)
	}
	for _, d := range s.Definitions("") {
		if strings.Contains(d.Name, "board") && d.AppURI != "ui://tester/board" {
			t.Errorf("%s is shown by %q", d.Name, d.AppURI)
		}
	}
}

func TestAppPageAndStructuredAnswer(t *testing.T) {
	s, _, _ := started(t, configText(`"tester": `+stdio(t, "apps", "")))
	eventually(t, "it runs", func() bool { return find(s, "tester").State == stateReady })
	page, shown, err := s.App(t.Context(), "tester", "tester__board")
	if err != nil || string(page.HTML) != "<!doctype html><p>board" || !slices.Equal(page.Domains.Uses(),
		[]string{"connect https://api.example.com"}) || shown.Name != "board" {
		t.Fatalf("%+v %+v %v", page, shown, err)
	}
	if _, _, err := s.App(t.Context(), "tester", "tester__mixed"); err == nil {
		t.Error("a tool without a page has one")
	}
	r, err := s.Execute(t.Context(), toolspec.Call{ID: "c1", Tool: "tester__board"},
		toolspec.Definition{Owner: "tester"}, nil)
	if err != nil || !r.Success {
		t.Fatalf("%+v %v", r, err)
	}
	if !strings.Contains(r.Text, apps.Extension) || !strings.Contains(r.Text, apps.MIME) {
		t.Errorf("the server got %s", r.Text)
	}
	var whole struct {
		Structured map[string]any `json:"structuredContent"`
		Meta       map[string]any `json:"_meta"`
	}
	if err := json.Unmarshal(r.AppResult, &whole); err != nil || whole.Structured["n"] != 7.0 ||
		whole.Meta["at"] != "noon" {
		t.Errorf("%s %v", r.AppResult, err)
	}
	if err := s.AllowAppDomains(t.Context(), "tester", []string{
		"connect https://b.example",
		"connect https://a.example", "connect https://a.example",
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.AllowAppDomains(t.Context(), "tester", []string{"https://a.example"}); err == nil {
		t.Error("an origin for all uses is taken")
	}
	if got, err := s.AppDomains(t.Context(), "tester"); err != nil ||
		!slices.Equal(got, []string{"connect https://a.example", "connect https://b.example"}) {
		t.Errorf("%v %v", got, err)
	}
	if err := s.RevokeAppDomain(t.Context(), "tester", "connect https://a.example"); err != nil {
		t.Fatal(err)
	}
	if got, err := s.AppDomains(t.Context(), "tester"); err != nil ||
		!slices.Equal(got, []string{"connect https://b.example"}) {
		t.Errorf("%v %v", got, err)
	}
	if !s.IsConnected("tester") || s.IsConnected("other") {
		t.Error("the caller is wrong")
	}
	raw, err := s.ReadForApp(t.Context(), "tester", "ui://tester/board")
	if err != nil || !strings.Contains(string(raw), "<p>board") &&
		!strings.Contains(string(raw), `\u003cp\u003eboard`) {
		t.Errorf("%s %v", raw, err)
	}
}
