package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"sextant/shared/toolspec"
)

func TestMain(m *testing.M) {
	if os.Getenv("SEXTANT_TEST_MCP_SERVER") != "" {
		err := Serve(context.Background(), Config{
			Tools: &toolList{defs: offeredTools()}, Caller: &pipeline{},
			Session: "s", Version: "test",
		}, os.Stdin, os.Stdout)
		if err != nil {
			os.Stderr.WriteString(err.Error())
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

func offeredTools() []toolspec.Definition {
	schema := json.RawMessage(`{"type":"object","properties":{"annotationId":{"type":"integer"}},"required":["annotationId"]}`)
	return []toolspec.Definition{
		{
			Name: "annotate_page", Description: "Number the page.", Group: "environment",
			Hints: toolspec.Hints{ReadOnly: true}, Parameters: json.RawMessage(`{"type":"object"}`),
		},
		{Name: "click_element", Description: "Click.", Group: "environment", Parameters: schema},
		{
			Name: "bash", Description: "Run.", Group: "shell",
			Hints:      toolspec.Hints{Destructive: true, OpenWorld: true},
			Parameters: json.RawMessage(`{"type":"object"}`),
		},
		{
			Name: "wait_for", Description: "Wait.", Group: "environment",
			Parameters: json.RawMessage(`{"type":"object"}`),
		},
	}
}

// toolList is what is offered, and can change.
type toolList struct {
	mu   sync.Mutex
	defs []toolspec.Definition
}

func (t *toolList) Definitions() []toolspec.Definition {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.defs)
}

// pipeline answers and records calls; wait_for runs until it is cancelled.
type pipeline struct {
	mu        sync.Mutex
	calls     []toolspec.Call
	cancelled bool
}

func (p *pipeline) Do(ctx context.Context, call toolspec.Call) toolspec.Result {
	p.mu.Lock()
	p.calls = append(p.calls, call)
	p.mu.Unlock()
	switch call.Tool {
	case "annotate_page":
		r := toolspec.OK(map[string]any{"page": map[string]any{"title": "Shop"}})
		r.Text = "Page: Shop"
		r.Images = []toolspec.Image{{MIME: "image/png", Data: []byte{1, 2}}}
		return r
	case "click_element":
		return toolspec.Fail(toolspec.UserError, "[12] is gone", "Call annotate_page.")
	case "wait_for":
		<-ctx.Done()
		p.mu.Lock()
		p.cancelled = true
		p.mu.Unlock()
		return toolspec.Fail(toolspec.SystemError, "stopped", "")
	}
	return toolspec.OK(map[string]any{"exit_code": 0})
}

func (p *pipeline) last() toolspec.Call {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.calls) == 0 {
		return toolspec.Call{}
	}
	return p.calls[len(p.calls)-1]
}

// connect connects a client of the official SDK to a server over pipes.
func connect(t *testing.T, cfg Config, options *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	theirIn, ourOut := io.Pipe()
	ourIn, theirOut := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- Serve(context.Background(), cfg, ourIn, ourOut) }()
	client := sdk.NewClient(&sdk.Implementation{Name: "editor", Version: "1"}, options)
	session, err := client.Connect(t.Context(), &sdk.IOTransport{Reader: theirIn, Writer: theirOut}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = session.Close()
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("Serve ended with %v", err)
			}
		case <-time.After(10 * time.Second):
			t.Error("Serve did not end when the client left")
		}
	})
	return session
}

func TestListToolsHasAnnotations(t *testing.T) {
	session := connect(t, Config{Tools: &toolList{defs: offeredTools()}, Caller: &pipeline{}, Version: "test"}, nil)
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Tools) != 4 || list.Tools[1].Name != "click_element" || list.Tools[1].Description != "Click." {
		t.Fatalf("got %+v", list.Tools)
	}
	if b, _ := json.Marshal(list.Tools[1].InputSchema); !strings.Contains(string(b), `"required":["annotationId"]`) {
		t.Errorf("the schema is %s", b)
	}
	if a := list.Tools[0].Annotations; !a.ReadOnlyHint || *a.OpenWorldHint {
		t.Errorf("annotate_page: %+v", a)
	}
	if a := list.Tools[2].Annotations; a.ReadOnlyHint || !*a.DestructiveHint || !*a.OpenWorldHint {
		t.Errorf("bash: %+v", a)
	}
}

func TestCallHasProvenance(t *testing.T) {
	p := &pipeline{}
	session := connect(t, Config{Tools: &toolList{defs: offeredTools()}, Caller: p, Session: "mcp-1"}, nil)
	got, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "annotate_page"})
	if err != nil || got.IsError {
		t.Fatal(got, err)
	}
	text, _ := got.Content[0].(*sdk.TextContent)
	image, _ := got.Content[1].(*sdk.ImageContent)
	if text == nil || text.Text != "Page: Shop" || image == nil || image.MIMEType != "image/png" ||
		string(image.Data) != "\x01\x02" {
		t.Errorf("got %+v", got.Content)
	}
	if b, _ := json.Marshal(got.StructuredContent); string(b) != `{"page":{"title":"Shop"}}` {
		t.Errorf("the structure is %s", b)
	}
	call := p.last()
	want := toolspec.Call{Tool: "annotate_page", Args: json.RawMessage("{}"), From: toolspec.Provenance{
		Caller: toolspec.CallerMCP, Client: "editor", Session: "mcp-1", NeedsFullResults: true,
	}}
	if diff := cmp.Diff(want, call); diff != "" {
		t.Error(diff)
	}
	if got, err = session.CallTool(t.Context(),
		&sdk.CallToolParams{Name: "bash", Arguments: map[string]any{"command": "ls"}}); err != nil {
		t.Fatal(err)
	}
	if text, _ = got.Content[0].(*sdk.TextContent); text.Text != `{"exit_code":0}` || got.StructuredContent != nil ||
		string(p.last().Args) != `{"command":"ls"}` {
		t.Errorf("got %+v after %+v", got, p.last())
	}
}

func TestFailedCallIsErrorResult(t *testing.T) {
	session := connect(t, Config{Tools: &toolList{defs: offeredTools()}, Caller: &pipeline{}}, nil)
	got, err := session.CallTool(t.Context(), &sdk.CallToolParams{
		Name:      "click_element",
		Arguments: map[string]any{"annotationId": 12},
	})
	if err != nil || !got.IsError || got.StructuredContent != nil {
		t.Fatal(got, err)
	}
	if text := got.Content[0].(*sdk.TextContent).Text; text != "error (user_error): [12] is gone\nsuggestion: Call "+
		"annotate_page." {
		t.Errorf("got %q", text)
	}
}

func TestUnofferedToolIsNotCalled(t *testing.T) {
	p := &pipeline{}
	session := connect(t, Config{Tools: &toolList{defs: offeredTools()[:2]}, Caller: p}, nil)
	_, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "bash"})
	if err == nil || !strings.Contains(err.Error(),
		`unknown tool "bash"; available are annotate_page, click_element`) || len(p.calls) != 0 {
		t.Errorf("got %v, %v", err, p.calls)
	}
}

func TestCancelReachesPipeline(t *testing.T) {
	p := &pipeline{}
	session := connect(t, Config{Tools: &toolList{defs: offeredTools()}, Caller: p}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := session.CallTool(ctx, &sdk.CallToolParams{Name: "wait_for"})
		ended <- err
	}()
	eventually(t, "the call runs", func() bool { return p.last().Tool == "wait_for" })
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	eventually(t, "the pipeline is cancelled", func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.cancelled
	})
}

func TestProgressIsReported(t *testing.T) {
	heard := make(chan string, 10)
	p := &pipeline{}
	var say func(string)
	cfg := Config{
		Tools: &toolList{defs: offeredTools()}, Caller: p,
		FollowProgress: func(id string, sink func(string)) func() {
			if !strings.HasPrefix(id, "mcp_") {
				t.Errorf("id %q", id)
			}
			say = sink
			return func() {}
		},
	}
	session := connect(t, cfg,
		&sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context,
			r *sdk.ProgressNotificationClientRequest,
		) {
			heard <- r.Params.Message
		}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		params := &sdk.CallToolParams{Name: "wait_for"}
		params.SetProgressToken("t")
		_, _ = session.CallTool(ctx, params)
	}()
	if got := <-heard; got != "wait_for is running, 1 s" {
		t.Errorf("got %q", got)
	}
	if p.last().ID == "" {
		t.Error("the call has no id, so its output cannot be found")
	}
	say("first\nsecond line\n")
	if got := <-heard; got != "second line" {
		t.Errorf("got %q", got)
	}
	cancel()
	<-ended
}

func TestChangedToolsAreNotified(t *testing.T) {
	notified := make(chan string, 100)
	changed := make(chan Change)
	tools := &toolList{defs: offeredTools()[:1]}
	session := connect(t, Config{Tools: tools, Caller: &pipeline{}, Changes: changed}, &sdk.ClientOptions{
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { notified <- "tools" },
	})
	if caps := session.InitializeResult().Capabilities; !caps.Tools.ListChanged || caps.Prompts.ListChanged ||
		!caps.Resources.ListChanged || !caps.Resources.Subscribe {
		t.Errorf("announced are tools %+v, prompts %+v, resources %+v; only changes of tools are notified", caps.Tools,
			caps.Prompts, caps.Resources)
	}
	tools.mu.Lock()
	tools.defs = offeredTools()
	tools.mu.Unlock()
	notifyUntil(t, changed, Change{Tools: true}, notified, "tools")
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 4 {
		t.Errorf("got %v, %v", list, err)
	}
}

func TestServeEndsWithContext(t *testing.T) {
	in, out := io.Pipe()
	defer out.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := Serve(ctx, Config{Tools: &toolList{}, Caller: &pipeline{}}, in, io.Discard)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestInvalidJSONEndsConnection(t *testing.T) {
	err := Serve(t.Context(), Config{Tools: &toolList{}, Caller: &pipeline{}}, strings.NewReader("hello?\n"),
		io.Discard)
	if err == nil || !strings.Contains(err.Error(), "serving MCP") {
		t.Errorf("got %v", err)
	}
}

// notifyUntil reports a change until the client is notified: its subscription may arrive after the first
// report.
func notifyUntil(t *testing.T, changed chan<- Change, change Change, notified <-chan string, want string) {
	t.Helper()
	for range 300 {
		changed <- change
		select {
		case got := <-notified:
			if got == want {
				return
			}
		case <-time.After(100 * time.Millisecond):
		}
	}
	t.Fatalf("the client was not notified of %s", want)
}

// eventually waits until condition is true.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within 30 s: %s", what)
		}
	}
}
