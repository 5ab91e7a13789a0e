package app

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sextant/backend/agent/llm/openaitest"
	"sextant/backend/browser"
	"sextant/backend/surface"
	"sextant/shared/toolspec"
)

func TestRunWithAModelReportsAsJSON(t *testing.T) {
	for name, env := range map[string]map[string]string{
		"openai/test":         {"OPENAI_API_KEY": "test", "OPENAI_BASE_URL": ""},
		"openai/by-responses": {"OPENAI_API_KEY": "test", "OPENAI_BASE_URL": "", "OPENAI_FORMAT": "responses"},
		"anthropic/test":      {"ANTHROPIC_API_KEY": "test", "ANTHROPIC_BASE_URL": ""},
	} {
		t.Run(name, func(t *testing.T) {
			model, err := openaitest.Start(
				openaitest.Answer{Calls: []openaitest.Call{{ID: "c1", Name: "navigate_page", Args: `{"url":"demo"}`}}},
				openaitest.Answer{Calls: []openaitest.Call{{
					ID: "c2", Name: "annotate_page",
					Args: `{"query":"postcode"}`,
				}}},
				openaitest.Answer{Text: "There is a field for a postcode."},
			)
			if err != nil {
				t.Fatal(err)
			}
			defer model.Close()
			for key, value := range env {
				if strings.HasSuffix(key, "_BASE_URL") {
					value = model.URL()
				}
				t.Setenv("SEXTANT_"+key, value)
			}
			code, out, errs := verb(t, testFlags(t), "run", "is there a field for a postcode?", "--model", name,
				"--json")
			if code != exitDone {
				t.Fatalf("exit %d, stderr %q, stdout %s", code, errs, out)
			}
			var report runReport
			if err := json.Unmarshal([]byte(out), &report); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if report.Text != "There is a field for a postcode." || len(report.Calls) != 2 ||
				report.Calls[1].Tool != "annotate_page" {
				t.Errorf("report: %+v", report)
			}
		})
	}
}

func TestRunRefusesAPrivateAddressThatNobodyTyped(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("<title>Inside</title><button>Press</button>"))
	}))
	defer site.Close()
	args, err := json.Marshal(map[string]string{"url": site.URL})
	if err != nil {
		t.Fatal(err)
	}
	code, _, errs := verb(t, testFlags(t), "tools", "call", "navigate_page", string(args))
	if code != exitRefused || !strings.Contains(errs, "--allow-hosts") {
		t.Errorf("exit %d, stderr %q", code, errs)
	}
	code, out, errs := verb(t, testFlags(t), "tools", "call", "navigate_page", string(args), "--allow-hosts",
		"127.0.0.1")
	if code != exitDone || !strings.Contains(out, `button "Press"`) {
		t.Errorf("allowed: exit %d, stdout %q, stderr %q", code, out, errs)
	}
	code, out, errs = verb(t, testFlags(t), "run", "open "+site.URL+" and annotate")
	if code != exitDone || !strings.Contains(out, `button "Press"`) {
		t.Errorf("typed: exit %d, stdout %q, stderr %q", code, out, errs)
	}
}

func TestWithoutChromiumTheErrorSaysHowToInstallIt(t *testing.T) {
	flags := testFlags(t)
	flags["chromium"] = filepath.Join(t.TempDir(), "no-such-browser")
	sys := openWith(t, flags, OpenOptions{Serve: true})
	c := clientOf(t, sys)
	r := c.execute("navigate_page", map[string]string{"url": "demo"})
	if r.Success || !strings.Contains(r.Error+r.Suggestion, "chromium") {
		t.Errorf("navigate: %+v", r)
	}
	if r = c.execute("get_workspace_state", map[string]string{}); !r.Success {
		t.Errorf("a tool without the browser failed: %+v", r)
	}
	if state := sys.Browser.State(); state.Status != "absent" || !strings.Contains(state.Hint, "apt") {
		t.Errorf("state: %+v", state)
	}
}

func TestEnvironmentRoutesRunTheToolsOfTheMap(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	c := clientOf(t, sys)
	if r := c.execute("navigate_page", map[string]string{"url": "demo"}); !r.Success {
		t.Fatalf("navigate: %+v", r)
	}
	for _, command := range []string{"annotate", "content", "screenshot", "scroll"} {
		args := map[string]any{}
		if command == "scroll" {
			args["direction"] = "down"
		}
		status, body := c.do(http.MethodPost, sys.Nav.EnvironmentPath(command), args)
		var r toolspec.Result
		if err := json.Unmarshal(body, &r); err != nil || status != http.StatusOK || !r.Success {
			t.Errorf("%s: status %d, %.300s", command, status, body)
		}
	}
}

func TestTakenOverPageCanBeReadButNotActedOn(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	c := clientOf(t, sys)
	if r := c.execute("navigate_page", map[string]string{"url": "demo"}); !r.Success {
		t.Fatalf("navigate: %+v", r)
	}
	if got := sys.Workspace.ActivePanel(); got != sys.Nav.SurfacePanel {
		t.Errorf("the page is open but the window shows %q", got)
	}
	window := windowOf(t, sys)
	hand := func(person bool) {
		if status, body := window.do(http.MethodPost, "/api/browser/control",
			map[string]bool{"person": person}); status != http.StatusOK {
			t.Fatalf("hand: status %d: %s", status, body)
		}
	}
	hand(true)
	if r := c.execute("press_key", map[string]string{"key": "Tab"}); r.Success ||
		r.ErrorType != toolspec.PermissionError {
		t.Errorf("a program acted on a page that a person holds: %+v", r)
	}
	if r := c.execute("annotate_page", map[string]string{}); !r.Success {
		t.Errorf("looking was refused: %+v", r)
	}
	hand(false)
	if r := c.execute("press_key", map[string]string{"key": "Tab"}); !r.Success {
		t.Errorf("given back, but: %+v", r)
	}
}

func TestUnreachableModelIsNamedAndNothingIsLost(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	address := closed.URL
	closed.Close()
	t.Setenv("SEXTANT_OPENAI_BASE_URL", address+"/v1")
	flags := testFlags(t)
	code, _, errs := verb(t, flags, "run", "hello", "--model", "openai/none")
	if code != exitFailed || !strings.Contains(errs, strings.TrimPrefix(address, "http://")) {
		t.Errorf("exit %d, stderr %q", code, errs)
	}
	sys := openWith(t, flags, OpenOptions{})
	list, err := sys.Store.Conversations(t.Context())
	if err != nil || len(list) != 1 || list[0].Title != "hello" {
		t.Errorf("the conversation is not kept: %+v (%v)", list, err)
	}
}

func TestWindowsTabsFollowTheDeviceOfTheActivityBar(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	if _, err := sys.Browser.Session("").Navigate(t.Context(),
		browser.NavigateOptions{URL: "about:blank"}); err != nil {
		t.Fatal(err)
	}
	c := clientOf(t, sys)
	wide := func() float64 {
		ans, err := sys.Browser.Session("").Annotate(t.Context(), surface.AnnotateOptions{})
		if m := sys.Browser.Marks(); err == nil && m != nil && ans.Page.URL == "about:blank" {
			return m.Width
		}
		return 0
	}
	for _, device := range []struct {
		name, shown string
		width       float64
	}{{"laptop", "laptop", 1366}, {"desktop", "", 1280}} {
		if r := c.execute("set_activity_bar_devices", map[string]any{"device": device.name}); !r.Success {
			t.Fatal(r.Error)
		}
		deadline := time.Now().Add(20 * time.Second)
		for sys.Browser.State().Tabs[0].Device != device.shown || wide() != device.width {
			if time.Now().After(deadline) {
				t.Fatalf("the tab is %+v, %v wide; want %s", sys.Browser.State().Tabs[0], wide(), device.name)
			}
		}
	}
}

func TestRunWithAModelThatWritesCallsAsText(t *testing.T) {
	model, err := openaitest.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	model.ScriptedProbes = true
	model.Answer = func(r openaitest.Request) openaitest.Answer {
		switch system := r.Messages[0].Content; {
		case len(r.Tools) > 0:
			return openaitest.Answer{
				Status: http.StatusBadRequest,
				Body:   `{"error":{"message":"this model does not support tools"}}`,
			}
		case strings.Contains(system, "say_word"):
			return openaitest.Answer{
				Text: `<tool_call>{"name": "say_word", "arguments": {"word": "saffron"}}</tool_call>`,
			}
		}
		steps := []string{
			"<tool_call>{\"name\": \"navigate_page\", \"arguments\": {\"url\": \"demo\"}}</tool_call>",
			"Now I look.\n<tool_call>{\"name\": \"annotate_page\", \"arguments\": {\"query\": " +
				"\"postcode\",}}</tool_call>",
			"There is a field for a postcode.",
		}
		return openaitest.Answer{Text: steps[min(len(r.Messages)/2-1, 2)], ChunkSize: 3}
	}
	t.Setenv("SEXTANT_OPENAI_BASE_URL", model.URL())
	t.Setenv("SEXTANT_OPENAI_API_KEY", "test")
	code, out, errs := verb(t, testFlags(t), "run", "is there a field for a postcode?", "--model", "openai/test",
		"--json")
	var report runReport
	if err := json.Unmarshal([]byte(out), &report); err != nil || code != exitDone {
		t.Fatalf("exit %d, %v: %s, stderr %q", code, err, out, errs)
	}
	if report.Text != "There is a field for a postcode." || len(report.Calls) != 2 ||
		report.Calls[1].Tool != "annotate_page" {
		t.Errorf("report: %+v", report)
	}
	if n := len(model.Requests()); n != 5 {
		t.Errorf("%d requests, two of them to find the dialect", n)
	}
}
