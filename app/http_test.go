package app

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// client talks to a System's HTTP server as another program would.
type client struct {
	t    *testing.T
	base string
	head http.Header
	host string
}

func clientOf(t *testing.T, sys *System) *client {
	t.Helper()
	return &client{t: t, base: "http://" + sys.Host(), head: http.Header{"Authorization": {"Bearer " + sys.Token()}}}
}

// do sends a request and returns status and body.
func (c *client) do(method, path string, body any) (int, []byte) {
	c.t.Helper()
	var in io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			c.t.Fatal(err)
		}
		in = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(context.Background(), method, c.base+path, in)
	if err != nil {
		c.t.Fatal(err)
	}
	for k, v := range c.head {
		req.Header[k] = v
	}
	if c.host != "" {
		req.Host = c.host
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return res.StatusCode, b
}

// execute runs a tool over HTTP.
func (c *client) execute(tool string, args any) toolspec.Result {
	c.t.Helper()
	status, b := c.do(http.MethodPost, "/api/ai/tools/execute", map[string]any{"tool": tool, "args": args})
	if status != http.StatusOK {
		c.t.Fatalf("%s: status %d: %s", tool, status, b)
	}
	var r toolspec.Result
	if err := json.Unmarshal(b, &r); err != nil {
		c.t.Fatal(err)
	}
	return r
}

func TestDiscoverListsToolsWithTheirOrigins(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	status, body := clientOf(t, sys).do(http.MethodGet, "/api/ai/tools/discover", nil)
	if status != http.StatusOK {
		t.Fatalf("status %d: %s", status, body)
	}
	var d wire.Discovery
	if err := json.Unmarshal(body, &d); err != nil {
		t.Fatal(err)
	}
	for _, name := range sys.Nav.ToolNames() {
		if d.Origins[name] != toolspec.OriginBaseline {
			t.Errorf("%s has origin %q, want baseline", name, d.Origins[name])
		}
	}
	for _, f := range d.Baseline {
		if f.Type != "function" || f.Function.Description == "" || !json.Valid(f.Function.Parameters) {
			t.Errorf("%s is not in function-calling form", f.Function.Name)
		}
	}
}

func TestErrorsOfUnknownToolsAndArgumentsSayHowToCorrectThem(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	c := clientOf(t, sys)
	r := c.execute("anotate_page", map[string]any{})
	if r.Success || r.ErrorType != toolspec.ValidationError ||
		!strings.Contains(r.Error+r.Suggestion, "annotate_page") {
		t.Errorf("unknown tool: %+v", r)
	}
	r = c.execute("click_element", map[string]any{"annotationId": "twelve"})
	if r.Success || r.ErrorType != toolspec.ValidationError || !strings.Contains(r.Error+r.Suggestion, "annotationId") {
		t.Errorf("wrong arguments: %+v", r)
	}
	r = c.execute("bash", map[string]any{"command": "true " + strings.Repeat("x", 16_000)})
	if r.Success || r.ErrorType != toolspec.ValidationError || !strings.Contains(r.Error+r.Suggestion, "16,000") {
		t.Errorf("a command that is too long: %+v", r)
	}
}
