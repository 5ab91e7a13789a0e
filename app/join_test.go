package app

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/app/instance"
	"sextant/panels/browser/demo"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// asTool makes the test binary an MCP server with a tool that has to be asked about, and one that
// never answers.
const asTool = "SEXTANT_TEST_AS_TOOL"

func serveATool() {
	server := sdk.NewServer(&sdk.Implementation{Name: "post"}, nil)
	server.AddTool(&sdk.Tool{
		Name: "send", Description: "Send a letter.",
		InputSchema: json.RawMessage(`{"type":"object"}`),
	},
		func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "The letter is sent."}}}, nil
		})
	server.AddTool(&sdk.Tool{
		Name: "wait", Description: "Never answers.",
		InputSchema: json.RawMessage(`{"type":"object"}`),
	},
		func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
	_ = server.Run(context.Background(), &sdk.StdioTransport{})
}

// mcpClient is a client of `sextant mcp` run in this process.
type mcpClient struct {
	t       *testing.T
	session *sdk.ClientSession
	errs    *buffer
	ended   chan int
}

// buffer is what a verb writes while it runs.
type buffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// speak runs `sextant mcp` with args and connects a client named name to it.
func speak(t *testing.T, flags map[string]string, name string, options *sdk.ClientOptions, args ...string) *mcpClient {
	t.Helper()
	theirIn, ourOut := io.Pipe()
	ourIn, theirOut := io.Pipe()
	c := &mcpClient{t: t, errs: &buffer{}, ended: make(chan int, 1)}
	args = append([]string{"mcp", "--data", flags["data"], "--config", flags["config"]}, args...)
	go func() {
		code := RunCLI(context.Background(), args, ourIn, ourOut, c.errs)
		_ = ourOut.Close() // the client reads the end
		c.ended <- code
	}()
	var err error
	c.session, err = sdk.NewClient(&sdk.Implementation{Name: name, Version: "1"}, options).
		Connect(t.Context(), &sdk.IOTransport{Reader: theirIn, Writer: theirOut}, nil)
	if err != nil {
		t.Fatalf("no MCP: %v; it said %q", err, c.errs)
	}
	t.Cleanup(c.leave)
	return c
}

// leave ends the client and waits for the verb.
func (c *mcpClient) leave() {
	_ = c.session.Close()
	select {
	case code := <-c.ended:
		c.ended <- code
	case <-time.After(20 * time.Second):
		c.t.Error("sextant mcp did not end when its client left")
	}
}

// call calls a tool and returns all its texts, and whether it failed.
func (c *mcpClient) call(tool string, args map[string]any) (text string, failed bool) {
	c.t.Helper()
	r, err := c.session.CallTool(context.Background(), &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		c.t.Fatalf("%s: %v", tool, err)
	}
	var all []string
	for _, part := range r.Content {
		if p, ok := part.(*sdk.TextContent); ok {
			all = append(all, p.Text)
		}
	}
	return strings.Join(all, "\n"), r.IsError
}

// does is call for what must succeed.
func (c *mcpClient) does(tool string, args map[string]any) string {
	c.t.Helper()
	text, failed := c.call(tool, args)
	if failed {
		c.t.Fatalf("%s failed: %s", tool, text)
	}
	return text
}

// number is the number in front of an element in a listing.
func number(t *testing.T, listing, element string) int {
	t.Helper()
	for line := range strings.SplitSeq(listing, "\n") {
		if strings.Contains(line, element) {
			var n int
			if err := json.Unmarshal([]byte(strings.Trim(strings.SplitN(line, "]", 2)[0], "[ ")), &n); err == nil {
				return n
			}
		}
	}
	t.Fatalf("no %s in\n%s", element, listing)
	return 0
}

func TestJoinedClientHasItsOwnTabsUnlessItShares(t *testing.T) {
	flags := testFlags(t)
	sys := openWith(t, flags, OpenOptions{Serve: true})
	window := windowOf(t, sys)
	if r := window.execute("navigate_page", map[string]string{"url": "demo"}); !r.Success {
		t.Fatal(r.Error)
	}
	own := speak(t, flags, "editor", nil)
	if tabs := own.does("browser_tabs", map[string]any{"action": "list"}); strings.Contains(tabs, "lamp") {
		t.Errorf("a joined client sees the window's tabs: %s", tabs)
	}
	own.does("navigate_page", map[string]any{"url": "demo"})
	if !strings.Contains(own.errs.String(), "joined") {
		t.Errorf("stderr %q", own.errs)
	}
	if tabs := sys.Browser.State().Tabs; len(tabs) != 1 {
		t.Errorf("the window has %d tabs after a client opened its own", len(tabs))
	}

	shared := speak(t, flags, "guest", nil, "--share")
	listing := shared.does("annotate_page", map[string]any{"scope": "page"})
	field := number(t, listing, `textbox "Delivery postcode"`)
	shared.does("type_text", map[string]any{"annotationId": field, "text": "12345"})
	r := window.execute("annotate_page", map[string]string{"query": "postcode"})
	text, _ := json.Marshal(r.Value)
	if !strings.Contains(string(text), "12345") ||
		number(t, shared.does("annotate_page", map[string]any{"query": "postcode"}), "12345") != field {
		t.Errorf("window and shared client do not see the same element [%d]: %s", field, text)
	}
	rows, err := sys.Audit.List(t.Context(), 50)
	if err != nil {
		t.Fatal(err)
	}
	clients := map[string]bool{}
	for _, row := range rows {
		clients[string(row.Caller)+":"+row.Client] = true
	}
	if !clients["mcp:editor"] || !clients["mcp:guest"] || !clients["person:"] {
		t.Errorf("the one log holds %v", clients)
	}
}

func TestTabsOfAJoinedClientCloseWithIt(t *testing.T) {
	gone := make(chan struct{})
	var once sync.Once
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			_, _ = io.WriteString(w, `<title>Stays</title><button>Press</button><script>fetch('/open')</script>`)
			return
		}
		w.(http.Flusher).Flush()
		<-r.Context().Done() // ends when the page is closed
		once.Do(func() { close(gone) })
	}))
	defer site.Close()
	flags := testFlags(t)
	flags["allow_hosts"] = "127.0.0.1"
	openWith(t, flags, OpenOptions{Serve: true})
	c := speak(t, flags, "editor", nil)
	c.does("navigate_page", map[string]any{"url": site.URL})
	c.leave()
	select {
	case <-gone:
	case <-time.After(20 * time.Second):
		t.Error("the page lives on after its client left")
	}
}

func TestJoinedClientRejoinsAfterARestart(t *testing.T) {
	flags := testFlags(t)
	sys := openWith(t, flags, OpenOptions{Serve: true})
	c := speak(t, flags, "editor", nil, "--share")
	listing := c.does("navigate_page", map[string]any{"url": "demo"})
	field := number(t, c.does("annotate_page", map[string]any{"scope": "page"}), `textbox "Delivery postcode"`)
	if !strings.Contains(listing, "Desk lamps") {
		t.Fatal(listing)
	}
	sys.Close()
	for range 2 {
		text, failed := c.call("click_element", map[string]any{"annotationId": field})
		if !failed || !strings.Contains(text, "has ended") && !strings.Contains(text, "ended before the task did") ||
			!strings.Contains(text, "--headless") {
			t.Errorf("after the end: %v %q", failed, text)
		}
	}
	next := openWith(t, flags, OpenOptions{Serve: true})
	if r := windowOf(t, next).execute("navigate_page", map[string]string{"url": "demo"}); !r.Success {
		t.Fatal(r.Error)
	}
	text, failed := c.call("click_element", map[string]any{"annotationId": field})
	if !failed || !strings.Contains(text, "was restarted") {
		t.Errorf("an old number in a new Sextant: %v %q", failed, text)
	}
	if text := c.does("annotate_page", nil); !strings.Contains(text, "lamp") {
		t.Errorf("joined again: %s", text)
	}
}

func TestStaleInstanceFileIsNotTrusted(t *testing.T) {
	asked := make(chan string, 10)
	stranger := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Header.Get("Authorization")
		_, _ = io.WriteString(w, "anything")
	}))
	defer stranger.Close()
	flags := testFlags(t)
	if err := os.MkdirAll(flags["data"], 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(flags["data"], instance.FileName)
	other := instance.Instance{URL: stranger.URL, Token: "secret", PID: 1}
	if err := instance.WritePrivateJSON(file, other); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := verb(t, flags, "tools", "list"); code != exitDone ||
		!strings.Contains(out, "annotate_page") || strings.Contains(errs, "joined") {
		t.Errorf("exit %d, stdout %q, stderr %q", code, out, errs)
	}
	if got := <-asked; got != "" {
		t.Errorf("the stranger was given %q", got)
	}
	sys := openWith(t, flags, OpenOptions{Serve: true})
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the instance file: %v %v", info, err)
	}
	sys.Close()
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("the instance file outlives its Sextant: %v", err)
	}
}

func TestClientWithAllToolsIsOfferedEveryTool(t *testing.T) {
	flags := testFlags(t)
	sys := openWithPost(t, flags)
	c := speak(t, flags, "editor", nil, "--tools", "all")
	offered := map[string]bool{}
	for tool, err := range c.session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		offered[tool.Name] = true
	}
	for _, d := range sys.Catalog.ForPanel("").All() {
		if !offered[d.Name] && d.Name != toolspec.FindTools { // nothing is left to find
			t.Errorf("%s is not offered", d.Name)
		}
	}
}

func TestToolsAndRunJoinTheWindow(t *testing.T) {
	flags := testFlags(t)
	sys := openWith(t, flags, OpenOptions{Serve: true})
	code, out, errs := verb(t, flags, "tools", "call", "navigate_page", `{"url":"demo"}`)
	if code != exitDone || !strings.Contains(out, "Desk lamps") || !strings.Contains(errs, "joined") {
		t.Fatalf("exit %d, stdout %q, stderr %q", code, out, errs)
	}
	if tabs := sys.Browser.State().Tabs; len(tabs) != 1 || !strings.Contains(tabs[0].URL, demo.Host) {
		t.Errorf("the window's tabs: %+v", tabs)
	}
	code, out, errs = verb(t, flags, "run", "annotate")
	if code != exitDone || !strings.Contains(out, `textbox "Delivery postcode"`) ||
		!strings.Contains(errs, "annotate_page") {
		t.Errorf("exit %d, stdout %q, stderr %q", code, out, errs)
	}
	list, err := sys.Store.Conversations(t.Context())
	if err != nil || len(list) != 1 || list[0].Title != "annotate" {
		t.Errorf("the running Sextant's conversations: %+v (%v)", list, err)
	}
}

// openWithPost is a Sextant that has the server post, which sends letters, and has heard of its tools.
func openWithPost(t *testing.T, flags map[string]string) *System {
	t.Helper()
	command, _ := json.Marshal(os.Args[0])
	writeMCPConfig(t, flags, `{"mcpServers":{"post":{"command":`+string(command)+`,"env":{"`+asTool+`":"1"}}}}`)
	sys := openWith(t, flags, OpenOptions{Serve: true})
	sys.WaitForMCP(t.Context())
	return sys
}

func TestApprovalsOfAJoinedClientAreAskedInTheWindow(t *testing.T) {
	flags := testFlags(t)
	sys := openWithPost(t, flags)
	heard := &buffer{}
	c := speak(t, flags, "editor", &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
			_, _ = io.WriteString(heard, r.Params.Message+"\n")
		},
	}, "--tools", "all")
	text, failed := c.call("post__send", nil)
	if !failed || !strings.Contains(text, "permission_error") || !strings.Contains(text, "nobody to ask") {
		t.Errorf("without a person: %v %q", failed, text)
	}

	window := windowOf(t, sys)
	socket := dial(t, sys, strings.TrimPrefix(window.head.Get("Authorization"), "Bearer "))
	until(t, socket, "hello")
	answers := make(chan event.Approval, 2)
	go answer(t, socket, window, answers)
	params := &sdk.CallToolParams{Name: "post__send"}
	params.SetProgressToken("p")
	r, err := c.session.CallTool(t.Context(), params)
	if err != nil || r.IsError || len(r.Content) != 2 {
		t.Fatalf("%+v %v", r, err)
	}
	if said := r.Content[1].(*sdk.TextContent).Text; !strings.Contains(said, "asked in the Sextant window") {
		t.Errorf("the answer does not say that it was asked: %q", said)
	}
	if asked := <-answers; asked.Tool != "post__send" {
		t.Errorf("asked: %+v", asked)
	}
	grants, err := sys.Store.Grants(t.Context())
	if err != nil || len(grants) != 1 || grants[0].Grantee != "mcp:editor" {
		t.Errorf("kept: %+v %v", grants, err)
	}
	// A program of the same name with another connection is another client.
	over := clientOf(t, sys)
	over.head.Set("X-Client-Name", "editor")
	if err := socket.Close(); err != nil {
		t.Fatal(err)
	}
	for sys.hub.HasWindow() {
		time.Sleep(time.Millisecond)
	}
	if r := over.execute("post__send", map[string]any{}); r.Success || r.ErrorType != toolspec.PermissionError {
		t.Errorf("an HTTP program used the grant of an MCP client: %+v", r)
	}
}

// answer says Always to the questions that come in, until the window closes.
func answer(t *testing.T, socket *websocket.Conn, window *client, answers chan<- event.Approval) {
	for {
		var e struct {
			Kind string
			Data event.Approval
		}
		_, raw, err := socket.ReadMessage()
		if err != nil {
			return
		}
		if json.Unmarshal(raw, &e) != nil || e.Kind != string(event.ApprovalAsked) {
			continue
		}
		status, body := window.do(http.MethodPost, "/api/approvals/"+e.Data.ID,
			map[string]string{"answer": "always", "hash": e.Data.Hash})
		if status != http.StatusNoContent {
			t.Errorf("answering: status %d: %s", status, body)
		}
		answers <- e.Data
	}
}
