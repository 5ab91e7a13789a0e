package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"sextant/backend/browser"
	"sextant/backend/browser/launch"
	"sextant/shared/navigation"
	"sextant/shared/toolspec"
)

const orderPage = `<!doctype html><html lang=en><title>Order | shop</title><main><h1>Order</h1>
<form onsubmit="event.preventDefault();document.getElementById('said').textContent='Placed for '+document.getElementById('n').value">
<label>Name <input id=n></label> <label>Password <input type=password id=p></label>
<label>Size <select><option>Small<option>Large</select></label>
<button>Place order</button><button type=button disabled>Later</button></form>
<p id=said></p><a href="/article">Read more</a> <a href="/article" target=_blank>In a new tab</a>
<div style="height:3000px"></div><button>Far below</button></main></html>`

var articlePage = `<!doctype html><html lang=en><title>On lamps</title><nav><a href=/>Home</a> <a href=/x>Other</a></nav><article><h1>On lamps</h1>` +
	strings.Repeat(`<p>A lamp is a thing that gives light to a desk, and a <a href="/brass">brass</a> one does so for many years, quietly, without being asked for anything in return.</p>`, 30) +
	`<table><tr><th>Lamp<th>Price<tr><td>Brass<td>80</table></article><footer>Imprint of the shop</footer></html>`

type fixture struct {
	tools *Tools
	url   string
}

// live is one browser for all tests of this package. They run one after another: pages that draw at the same time
// would miss the time limits of actions.
var live fixture

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	nav, err := navigation.Load()
	if err != nil {
		return 1, err
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		page := map[string]string{
			"/": orderPage, "/article": articlePage, "/turning": turningPage,
			"/suggesting": `<title>Suggesting</title><input aria-label=Place oninput="setTimeout(() => { late.innerHTML = '<button>Frankfurt</button>' }, 900)"><p id=late></p>`, "/asking": `<title>Asking</title><button onclick="confirm(1)">Ask</button>`, "/tall": `<title>Tall</title><p>Above</p><button style="width:300px;height:2400px">Tall</button><p>Below</p>`, "/application": strings.Replace(applicationPage, "LONG", strings.Repeat("You agree to a lot. ", 100), 1),
		}[r.URL.Path]
		if page == "" {
			http.NotFound(w, r)
			return
		}
		_, _ = fmt.Fprint(w, page)
	}))
	b := browser.New(browser.Config{Headless: true})
	live.url = server.URL
	live.tools, err = New(b, nav, Config{
		Alias: func(w string) (string, bool) { return server.URL + "/", w == "demo" },
		Do: func(ctx context.Context, call toolspec.Call) toolspec.Result {
			r, err := live.tools.Execute(ctx, call, toolspec.Definition{}, func(string, string) {})
			if err != nil {
				return toolspec.Fail(toolspec.SystemError, err.Error(), "")
			}
			return r
		},
	})
	if err != nil {
		return 1, err
	}
	code := m.Run()
	err = b.Close()
	server.CloseClientConnections()
	server.Close()
	if err == nil && code == 0 {
		err = goleak.Find()
	}
	if err != nil {
		return 1, err
	}
	return code, nil
}

// toolSession runs tools in a browser session of the test's own.
type toolSession struct {
	t   *testing.T
	ctx context.Context
}

func newToolSession(t *testing.T) toolSession {
	t.Helper()
	if _, err := launch.Find(""); errors.Is(err, launch.ErrNotFound) {
		t.Skip("no Chromium on this machine: " + launch.InstallHint)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 120*time.Second)
	t.Cleanup(cancel)
	return toolSession{t, ctx}
}

func (t toolSession) call(tool string, args string) toolspec.Call {
	return toolspec.Call{
		ID: "1", Tool: tool, Args: json.RawMessage(args),
		From: toolspec.Provenance{Session: t.t.Name()},
	}
}

func (t toolSession) try(tool, args string) toolspec.Result {
	t.t.Helper()
	r, err := live.tools.Execute(t.ctx, t.call(tool, args), toolspec.Definition{}, func(string, string) {})
	if err != nil {
		t.t.Fatalf("%s %s: %v", tool, args, err)
	}
	return r
}

func (t toolSession) do(tool, args string, parts ...any) toolspec.Result {
	t.t.Helper()
	r := t.try(tool, fmt.Sprintf(args, parts...))
	if !r.Success {
		t.t.Fatalf("%s %s: %s: %s (%s)", tool, args, r.ErrorType, r.Error, r.Suggestion)
	}
	return r
}

// idIn is the id before `role "name"` in the text of a result.
func idIn(t *testing.T, r toolspec.Result, what string) int {
	t.Helper()
	m := regexp.MustCompile(`(?m)^\[(\d+)\] ` + regexp.QuoteMeta(what)).FindStringSubmatch(r.Text)
	if m == nil {
		t.Fatalf("no %s in:\n%s", what, r.Text)
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}
