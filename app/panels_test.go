package app

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sextant/backend/panels/calls"
	"sextant/backend/panels/evals"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// openDeskPanel is a system with a panel whose page may read files beside calling its own tools.
func openDeskPanel(t *testing.T) *System {
	t.Helper()
	answers := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]string{"did": req.Method + " " + req.URL.Path})
	}))
	t.Cleanup(answers.Close)
	flags := testFlags(t)
	flags["workspace"] = t.TempDir()
	put(t, filepath.Join(flags["workspace"], "plan.txt"), "buy bread\n")
	put(
		t,
		filepath.Join(flags["data"], "panels", "desk", "manifest.json"),
		`{"panel_id":"desk","panel_type":"x","title":"Desk",
		"backend":{"kind":"http","url":"`+answers.URL+`"},"permissions":{"call_tools":["read_file","write_file","run_steps","wait_for"]},"tools":[
		{"name":"desk_add","description":"Adds.","endpoint":"POST /api/desk/things","parameters":{"what":{"type":"string","required":true}}},
		{"name":"desk_draw","description":"Draws the page.","endpoint":"GET /api/desk/all","parameters":{},"visibility":["app"]},
		{"name":"desk_think","description":"For the assistant.","endpoint":"GET /api/desk/think","parameters":{},"visibility":["model"]},
		{"name":"desk_wipe","description":"Wipes.","endpoint":"DELETE /api/desk/all","parameters":{}}]}`,
	)
	return openWith(t, flags, OpenOptions{Serve: true})
}

// asked answers each question that comes up until the call is done, and returns them.
func (s *System) asked(t *testing.T, answer event.Answer, call func() toolspec.Result) (questions []event.Approval,
	r toolspec.Result,
) {
	t.Helper()
	done := make(chan toolspec.Result, 1)
	go func() { done <- call() }()
	for {
		select {
		case r := <-done:
			return questions, r
		default:
		}
		for _, q := range s.Approvals.WaitingApprovals() {
			questions = append(questions, q)
			if err := s.Approvals.Answer(t.Context(), q.ID, answer, "", q.Hash); err != nil {
				t.Error(err)
			}
		}
		time.Sleep(time.Millisecond)
	}
}

func (s *System) deskAsks(t *testing.T, answer event.Answer, tool, args string) ([]event.Approval, toolspec.Result) {
	t.Helper()
	return s.asked(t, answer, func() toolspec.Result {
		return s.panelCalls.Call(t.Context(), calls.Request{
			Panel: "desk", Tool: tool, Args: json.RawMessage(args),
			Interactive: true,
		})
	})
}

func TestPanelCallsItsOwnHiddenTools(t *testing.T) {
	sys := openDeskPanel(t)
	for tool, args := range map[string]string{"desk_add": `{"what":"bread"}`, "desk_draw": `{}`} {
		if r := sys.CallAsPanel(t.Context(), "desk", tool, json.RawMessage(args)); !r.Success {
			t.Errorf("%s: %+v", tool, r)
		}
	}
	if r := sys.CallAsPanel(t.Context(), "desk", "desk_think", nil); r.Success {
		t.Error("the page called a tool that only the assistant may call")
	}
	if r := sys.CallAsPanel(t.Context(), "desk", "desk_wipe", nil); r.ErrorType != toolspec.PermissionError ||
		!strings.Contains(r.Error, "nobody to ask") {
		t.Errorf("what destroys ran without a question: %+v", r)
	}
	if questions, r := sys.deskAsks(t, event.AnswerOnce, "desk_wipe", `{}`); !r.Success || len(questions) != 1 {
		t.Errorf("%+v %+v", questions, r)
	}
}

func TestPanelIsRefusedToolsThatItsManifestDoesNotName(t *testing.T) {
	sys := openDeskPanel(t)
	for tool, args := range map[string]string{
		"bash": `{"command":"id"}`, "http_request": `{"url":"https://shop.example/"}`, "create_tool": `{}`,
		"open_home_panel": `{}`,
	} {
		questions, r := sys.deskAsks(t, event.AnswerOnce, tool, args)
		if len(questions) > 0 || r.ErrorType != toolspec.PermissionError ||
			!strings.Contains(r.Suggestion, `"`+tool+`" to permissions.call_tools`) {
			t.Errorf("%s: %d questions, %+v", tool, len(questions), r)
		}
	}
	// What is named does not lead on to what is not.
	questions, r := sys.deskAsks(t, event.AnswerOnce, "run_steps",
		`{"steps":[{"tool":"navigate_page","args":{"url":"https://shop.example/"}}]}`)
	if len(questions) != 1 || r.Success && !strings.Contains(r.ModelText(), "call_tools") {
		t.Errorf("%d questions, %s", len(questions), r.ModelText())
	}
}

func TestPersonIsAskedOnceForEachToolOfOthersThatAPanelCalls(t *testing.T) {
	sys := openDeskPanel(t)
	path := `{"path":"plan.txt"}`
	questions, r := sys.deskAsks(t, event.AnswerAlways, "read_file", path)
	if !r.Success || len(questions) != 1 || !strings.HasSuffix(questions[0].Question, ", for the panel desk?") {
		t.Fatalf("%+v %+v", questions, r)
	}
	if questions, r := sys.deskAsks(t, event.AnswerDeny, "read_file", path); !r.Success || len(questions) > 0 {
		t.Errorf("it was asked again: %+v %+v", questions, r)
	}
	if questions, r := sys.deskAsks(t, event.AnswerDeny, "write_file",
		`{"path":"plan.txt","content":"x"}`); r.Success || len(questions) != 1 {
		t.Errorf("a yes to read was one to write: %+v %+v", questions, r)
	}
	rows, err := sys.Audit.List(t.Context(), 10)
	if err != nil {
		t.Fatal(err)
	}
	var reported []string
	for _, row := range rows {
		reported = append(reported, row.Tool+" by "+callerName(row))
	}
	if got := strings.Join(reported, ", "); strings.Count(got, "read_file by panel:desk") != 2 ||
		!strings.Contains(got, "write_file by panel:desk") {
		t.Errorf("the log: %s", got)
	}
}

func TestCallOfAPanelOverHTTPCountsAsThePanels(t *testing.T) {
	sys := openDeskPanel(t)
	for name, c := range map[string]*client{"window": windowOf(t, sys), "program": clientOf(t, sys)} {
		status, b := c.do(http.MethodPost, "/api/panels/desk/call",
			map[string]any{"tool": "desk_add", "args": map[string]any{"what": "x"}})
		if status != http.StatusOK || !strings.Contains(string(b), `"success":true`) {
			t.Errorf("%s: %d %s", name, status, b)
		}
		status, b = c.do(http.MethodPost, "/api/panels/desk/call",
			map[string]any{"tool": "bash", "args": map[string]any{"command": "id"}})
		if status != http.StatusOK || !strings.Contains(string(b), "permission_error") ||
			!strings.Contains(string(b), "call_tools") {
			t.Errorf("%s: %d %s", name, status, b)
		}
		if status, _ := c.do(http.MethodPost, "/api/panels/none/call",
			map[string]any{"tool": "desk_add"}); status != http.StatusNotFound {
			t.Errorf("%s: a panel that is not there: %d", name, status)
		}
	}
}

func TestPanelsScriptCallsToolsThroughThePipeline(t *testing.T) {
	flags := testFlags(t)
	flags["workspace"] = t.TempDir()
	put(t, filepath.Join(flags["workspace"], "plan.txt"), "buy bread\n")
	folder := filepath.Join(flags["data"], "panels", "clip")
	put(t, filepath.Join(folder, "backend.js"), `handlers.clip_count = async ({ path }) => {
  const text = (await tools.read_file({ path })).content
  await store.set('last', text)
  return { words: text.trim().split(/\s+/).length, own: await tools.clip_last({}) }
}
handlers.clip_last = () => store.get('last')
handlers.clip_more = () => tools.bash({ command: 'id' })
`)
	put(
		t,
		filepath.Join(folder, "manifest.json"),
		`{"panel_id":"clip","panel_type":"x","title":"Clip","backend":{"kind":"script","file":"backend.js"},
		"permissions":{"call_tools":["read_file"]},"tools":[
		{"name":"clip_count","description":"Counts.","endpoint":"POST /api/clip/count","parameters":{"path":{"type":"string"}}},
		{"name":"clip_last","description":"Last.","endpoint":"GET /api/clip/last","parameters":{}},
		{"name":"clip_more","description":"More.","endpoint":"POST /api/clip/more","parameters":{}}]}`,
	)
	sys := openWith(t, flags, OpenOptions{Serve: true})
	do := func(tool, args string) ([]event.Approval, toolspec.Result) {
		return sys.asked(t, event.AnswerOnce, func() toolspec.Result {
			return sys.Pipeline.Do(t.Context(),
				toolspec.Call{Tool: tool, Panel: "clip", Args: json.RawMessage(args), From: toolspec.Provenance{
					Caller: toolspec.CallerModel, Interactive: true, Conversation: "talk", Turn: "t1",
				}})
		})
	}
	questions, r := do("clip_count", `{"path":"plan.txt"}`)
	if !r.Success || r.ModelText() != `{"words":2,"own":"buy bread\n"}` {
		t.Fatalf("%+v", r)
	}
	if len(questions) != 1 || !strings.HasSuffix(questions[0].Question, ", for the panel clip?") ||
		questions[0].Conversation != "talk" {
		t.Errorf("%+v", questions)
	}
	if questions, r := do("clip_more", `{}`); r.Success || len(questions) > 0 ||
		!strings.Contains(r.Error, "backend.js") || !strings.Contains(r.Error, "permissions.call_tools") {
		t.Errorf("%+v %+v", questions, r)
	}
}

func TestSettingsOfAPanelReachItsScript(t *testing.T) {
	flags := testFlags(t)
	folder := filepath.Join(flags["data"], "panels", "clip")
	put(t, filepath.Join(folder, "backend.js"), `handlers.clip_size = () => [config.size, config.key?.length ?? 0]`)
	put(
		t,
		filepath.Join(folder, "manifest.json"),
		`{"panel_id":"clip","panel_type":"x","title":"Clip","backend":{"kind":"script","file":"backend.js"},
		"config":{"size":{"type":"integer","default":20},"key":{"type":"string","sensitive":true}},
		"tools":[{"name":"clip_size","description":"Size.","endpoint":"GET /api/clip/size","parameters":{}}]}`,
	)
	sys := openWith(t, flags, OpenOptions{Serve: true})
	person, program := windowOf(t, sys), clientOf(t, sys)
	size := func() string { return sys.CallAsPanel(t.Context(), "clip", "clip_size", nil).ModelText() }
	if got := size(); got != "[20,0]" {
		t.Fatal(got)
	}
	values := map[string]any{"values": map[string]any{"size": 3, "key": "s3cret"}}
	if status, b := program.do(http.MethodPut, "/api/panels/clip/config", values); status != http.StatusForbidden {
		t.Errorf("a program set it: %d %s", status, b)
	}
	if status, b := person.do(http.MethodPut, "/api/panels/clip/config", values); status != http.StatusOK ||
		strings.Contains(string(b), "s3cret") {
		t.Errorf("%d %s", status, b)
	}
	if got := size(); got != "[3,6]" {
		t.Error(got)
	}
	if status, b := person.do(http.MethodPut, "/api/panels/clip/config",
		map[string]any{"values": map[string]any{"size": "x"}}); status != http.StatusBadRequest ||
		!strings.Contains(string(b), "size should be a whole number") {
		t.Errorf("%d %s", status, b)
	}
	if status, b := program.do(http.MethodGet, "/api/panels/clip/config", nil); status != http.StatusOK ||
		strings.Contains(string(b), "s3cret") || !strings.Contains(string(b), `"set":true`) {
		t.Errorf("%d %s", status, b)
	}
}

// TestAddressInAnEvalDoesNotCountAsTyped: a panel's author writes the arguments, and the person who has the
// evals run types no host by it.
func TestAddressInAnEvalDoesNotCountAsTyped(t *testing.T) {
	flags := testFlags(t)
	put(
		t,
		filepath.Join(flags["data"], "panels", "attic", "manifest.json"),
		`{"panel_id": "attic", "panel_type": "x", "title": "Attic",
		"backend": {"kind": "http", "url": "http://10.255.255.1:9"}, "permissions": {"net": ["10.255.255.1"]},
		"tools": [{"name": "attic_look", "description": "Looks.", "endpoint": "GET /api/attic/look", "parameters": {"url": {"type": "string"}}}],
		"evals": [{"tool": "attic_look", "args": {"url": "http://10.255.255.1:9"}, "expect": {"contains": ["x"]}}]}`,
	)
	sys := openWith(t, flags, OpenOptions{Serve: true})
	status, text := windowOf(t, sys).do(http.MethodPost, "/api/panels/attic/eval", map[string]any{})
	var done struct{ Outcomes []evals.Outcome }
	if err := json.Unmarshal(text, &done); err != nil || status != http.StatusOK || len(done.Outcomes) != 1 {
		t.Fatalf("%d %s", status, text)
	}
	if why := done.Outcomes[0].Reason; !strings.Contains(why, "private network") {
		t.Errorf("it was not refused as an address that nobody typed: %s", why)
	}
}
