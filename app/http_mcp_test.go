package app

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/api/mcpserver"
	"sextant/backend/mcp/mcpclient"
	"sextant/panels/browser/demo"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// carrier sends a program's token with each request.
type carrier struct {
	http.RoundTripper
	token string
}

// RoundTrip implements http.RoundTripper.
func (c carrier) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+c.token)
	return c.RoundTripper.RoundTrip(r)
}

// visit is an MCP client of sys over HTTP.
func visit(t *testing.T, sys *System, name, query, revision string, options *sdk.ClientOptions) *mcpClient {
	t.Helper()
	transport := &http.Transport{}
	session, err := sdk.NewClient(&sdk.Implementation{Name: name, Version: "1"}, options).Connect(t.Context(),
		&sdk.StreamableClientTransport{
			Endpoint:   "http://" + sys.Host() + mcpserver.JoinPath + query,
			HTTPClient: &http.Client{Transport: carrier{transport, sys.Token()}}, MaxRetries: -1,
		},
		&sdk.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close(); transport.CloseIdleConnections() })
	return &mcpClient{t: t, session: session}
}

func TestMCPClientsOverHTTPHaveTheirOwnTabs(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	old := visit(t, sys, "old", "?panel=notes", "2025-11-25", nil)
	young := visit(t, sys, "young", "?tools=environment", "2026-07-28", nil)
	shared := visit(t, sys, "shared", "?share=true", "2026-07-28", nil)
	field := 0
	for _, c := range []*mcpClient{old, young} {
		c.does("navigate_page", map[string]any{"url": "demo"})
		field = number(t, c.does("annotate_page", map[string]any{"scope": "page"}), `textbox "Delivery postcode"`)
	}
	young.does("type_text", map[string]any{"annotationId": field, "text": "12345"})
	if text := old.does("annotate_page", map[string]any{"query": "postcode"}); strings.Contains(text, "12345") {
		t.Errorf("what one typed stands in the other's page: %s", text)
	}
	if text, failed := old.call("type_text", map[string]any{"annotationId": field, "text": "666"}); !failed {
		t.Errorf("one acts on the other's number: %s", text)
	}
	if tabs := sys.Browser.State().Tabs; len(tabs) > 1 || len(tabs) == 1 && strings.Contains(tabs[0].URL, demo.Host) {
		t.Errorf("the window's tabs: %+v", tabs)
	}
	if text := shared.does("navigate_page", map[string]any{"url": "demo"}); !strings.Contains(text, "lamp") ||
		len(sys.Browser.State().Tabs) != 1 {
		t.Errorf("one that shares: %s", text)
	}
	names := func(c *mcpClient) string {
		list, err := c.session.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		all := []string{}
		for _, tool := range list.Tools {
			all = append(all, tool.Name)
		}
		return strings.Join(all, " ")
	}
	if got := names(old); !strings.Contains(got, "note") || strings.Contains(got, "get_annotations") ||
		strings.Contains(got, "bash") {
		t.Errorf("core and a panel's: %s", got)
	}
	if got := names(young); !strings.Contains(got, "get_annotations") || strings.Contains(got, "bash") ||
		strings.Contains(got, "note") {
		t.Errorf("environment: %s", got)
	}
}

func TestPageIsAResourceOverHTTP(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	c := visit(t, sys, "reader", "", "2026-07-28", nil)
	c.does("navigate_page", map[string]any{"url": "demo"})
	list, err := c.session.ListResources(t.Context(), nil)
	if err != nil || len(list.Resources) != 5 {
		t.Fatalf("%+v %v", list, err)
	}
	for _, r := range list.Resources {
		got, err := c.session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: r.URI})
		if err != nil || len(got.Contents) != 1 || got.Contents[0].MIMEType != r.MIMEType {
			t.Errorf("%s: %+v %v", r.URI, got, err)
			continue
		}
		if r.MIMEType == "image/png" && !bytes.HasPrefix(got.Contents[0].Blob, []byte("\x89PNG")) ||
			r.MIMEType != "image/png" && !strings.Contains(got.Contents[0].Text, "lamp") {
			t.Errorf("%s holds %.200q", r.URI, got.Contents[0].Text)
		}
	}
}

func TestWithoutAWindowTheClientsUserIsAsked(t *testing.T) {
	flags := testFlags(t)
	sys := openWithPost(t, flags)
	asked := &buffer{}
	options := func(answer string) *sdk.ClientOptions {
		return &sdk.ClientOptions{ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult,
			error,
		) {
			_, _ = asked.Write([]byte(r.Params.Message))
			return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"answer": answer}}, nil
		}}
	}
	for _, c := range []struct {
		name   string
		client *mcpClient
		fails  bool
	}{
		{"over HTTP with a session", visit(t, sys, "old", "?tools=all", "2025-11-25", options("once")), false},
		{"over HTTP without", visit(t, sys, "young", "?tools=all", "2026-07-28", options("once")), false},
		{"that says no", visit(t, sys, "no", "?tools=all", "2026-07-28", options("deny")), true},
		{"that joined", speak(t, flags, "joined", options("once"), "--tools", "all"), false},
		{"that joined and says no", speak(t, flags, "no", options("deny"), "--tools", "all"), true},
		{"that cannot ask", visit(t, sys, "mute", "?tools=all", "2026-07-28", nil), true},
	} {
		text, failed := c.client.call("post__send", nil)
		if failed != c.fails || failed && !strings.Contains(text, "permission_error") || !failed &&
			!strings.Contains(text, "The letter is sent.") {
			t.Errorf("one %s: %v %q", c.name, failed, text)
		}
	}
	if text := asked.String(); strings.Count(text, "send") < 5 || len(sys.Approvals.WaitingApprovals()) != 0 {
		t.Errorf("asked %q; waiting are %+v", text, sys.Approvals.WaitingApprovals())
	}
	if grants, err := sys.Store.Grants(t.Context()); err != nil || len(grants) != 0 {
		t.Errorf("kept %+v %v", grants, err)
	}
}

// sending makes a created tool that a person has read, whose body sends a letter.
func sending(t *testing.T, sys *System) {
	t.Helper()
	made, err := sys.Store.SaveCreatedTool(t.Context(), toolspec.CreatedTool{
		Name: "write_home", Description: "Writes home", Parameters: json.RawMessage(`{"type":"object"}`),
		Body: "return await tools.post__send({})", AwaitsReview: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	if status, b := windowOf(t, sys).do(http.MethodPost, "/api/created-tools/write_home/enable",
		map[string]int{"version": made.Version}); status != http.StatusOK {
		t.Fatalf("%d %s", status, b)
	}
}

func TestQuestionOfAStepGoesToTheClientsUser(t *testing.T) {
	flags := testFlags(t)
	sys := openWithPost(t, flags)
	sending(t, sys)
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		for _, answer := range []string{"once", "deny"} {
			asked := &buffer{}
			c := visit(t, sys, "editor", "?tools=all", revision,
				&sdk.ClientOptions{ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult,
					error,
				) {
					_, _ = asked.Write([]byte(r.Params.Message))
					return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"answer": answer}}, nil
				}})
			text, failed := c.call("write_home", nil)
			if failed != (answer == "deny") || !failed && !strings.Contains(text, "The letter is sent.") ||
				!strings.Contains(asked.String(), "send") {
				t.Errorf("%s, %s: %v %q after %q", revision, answer, failed, text, asked)
			}
		}
	}
}

func TestChangedToolIsAllowedInAWindowOnly(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	put := make(chan event.Approval, 1)
	defer sys.Sharing.ClientConfig(t.Context(), mcpserver.JoinRequest{}, "").FollowQuestions("mcp_1",
		func(q event.Approval) {
			put <- q
			err := sys.Approvals.Answer(t.Context(), q.ID, event.AnswerDeny, "in a window only", q.Hash)
			if err != nil {
				t.Error(err)
			}
		})()
	call := toolspec.Call{
		ID: "c_2", Tool: "post__send",
		From: toolspec.Provenance{Interactive: true, RootCall: "mcp_1"},
	}
	goOn, err := sys.consent.Review(t.Context(), mcpclient.ToolChange{Server: "post", Tool: "send", Call: call})
	if q := <-put; goOn || err == nil || err.Error() != "in a window only" || !q.WindowOnly {
		t.Errorf("%v %v after %+v", goOn, err, q)
	}
}

func TestUnknownPanelIsAnErrorAtTheStart(t *testing.T) {
	flags := testFlags(t)
	alone := &buffer{}
	if code := RunCLI(t.Context(), []string{
		"mcp", "--headless", "--data", flags["data"], "--config", flags["config"],
		"--panel", "notez",
	}, strings.NewReader(""), alone, alone); code == 0 ||
		!strings.Contains(alone.String(), "Did you mean notes") {
		t.Errorf("alone: %d %s", code, alone)
	}
	sys := openWith(t, flags, OpenOptions{Serve: true})
	joined := &buffer{}
	if code := RunCLI(t.Context(), []string{
		"mcp", "--data", flags["data"], "--config", flags["config"], "--panel",
		"notez",
	}, strings.NewReader(""), joined, joined); code == 0 ||
		!strings.Contains(joined.String(), "Did you mean notes") {
		t.Errorf("joined: %d %s", code, joined)
	}
	_, err := sdk.NewClient(&sdk.Implementation{Name: "c", Version: "1"}, nil).Connect(t.Context(),
		&sdk.StreamableClientTransport{
			Endpoint:   "http://" + sys.Host() + mcpserver.JoinPath + "?panel=notez",
			HTTPClient: &http.Client{Transport: carrier{http.DefaultTransport, sys.Token()}}, MaxRetries: -1,
		}, nil)
	if err == nil || !strings.Contains(err.Error(), "Did you mean notes") {
		t.Errorf("over HTTP: %v", err)
	}
}

func TestSessionsOfOneProgramHaveSeparateTabs(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	one := visit(t, sys, "editor", "?session=one", "2026-07-28", nil)
	two := visit(t, sys, "editor", "?session=two", "2026-07-28", nil)
	again := visit(t, sys, "editor", "?session=one", "2026-07-28", nil)
	one.does("navigate_page", map[string]any{"url": "demo"})
	field := number(t, one.does("annotate_page", map[string]any{"scope": "page"}), `textbox "Delivery postcode"`)
	if text, failed := two.call("type_text", map[string]any{"annotationId": field, "text": "666"}); !failed {
		t.Errorf("it acts on the other's number: %s", text)
	}
	if text := two.does("browser_tabs", nil); strings.Contains(text, demo.Host) {
		t.Errorf("it sees the other's tab: %s", text)
	}
	again.does("type_text", map[string]any{"annotationId": field, "text": "12345"})
}
