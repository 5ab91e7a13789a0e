package app

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sextant/backend/agent/automation"
	"sextant/backend/agent/llm/openaitest"
	"sextant/backend/store/eventlog"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// lampFormat is a file with the format of the tests' answers.
func lampFormat(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "lamp.json")
	err := os.WriteFile(
		path,
		[]byte(
			`{"type":"object","required":["name","price"],"properties":{"name":{"type":"string"},"price":{"type":"number"}}}`,
		),
		0o600,
	)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// serviceOf is a model with a script, set as the one to use.
func serviceOf(t *testing.T, turns ...openaitest.Answer) *openaitest.Server {
	t.Helper()
	model, err := openaitest.Start(turns...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	t.Setenv("SEXTANT_OPENAI_BASE_URL", model.URL())
	t.Setenv("SEXTANT_OPENAI_API_KEY", "test")
	return model
}

func final() openaitest.Answer {
	return openaitest.Answer{Calls: []openaitest.Call{{Name: automation.ToolName, Args: `{}`}}}
}

// lookAround is a call that reaches no browser.
func lookAround() openaitest.Answer {
	return openaitest.Answer{Calls: []openaitest.Call{{Name: "get_workspace_state", Args: `{}`}}}
}

func TestRunWithAFormatReportsAnAnswerThatNeverFits(t *testing.T) {
	model := serviceOf(t, final())
	model.Answer = func(openaitest.Request) openaitest.Answer { return openaitest.Answer{Text: `{"name":"Fen"}`} }
	t.Setenv("SEXTANT_ANSWER_REPAIRS", "1")
	for _, asJSON := range []bool{false, true} {
		args := []string{"run", "which lamp?", "--model", "openai/test", "--format", lampFormat(t)}
		if asJSON {
			args = append(args, "--json")
		}
		code, out, errs := verb(t, testFlags(t), args...)
		if code != exitFailed || !strings.Contains(errs, `"price" is missing`) ||
			!strings.Contains(errs, `{"name":"Fen"}`) {
			t.Errorf("exit %d, stderr %q", code, errs)
		}
		var report runReport
		if !asJSON && out != "" || asJSON && (json.Unmarshal([]byte(out), &report) != nil || report.Answer != nil ||
			len(report.Wrong) != 1) {
			t.Errorf("stdout %q", out)
		}
	}
}

func TestInvalidFormatIsAUsageError(t *testing.T) {
	flags := testFlags(t)
	for name, text := range map[string]string{
		"remote": `{"$ref":"http://127.0.0.1:1/x.json"}`, "itself": `{"allOf":[{"$ref":"#"}]}`,
		"no schema": `{"type":1}`, "cut": `{"type":`,
		"huge": `{"description":"` + strings.Repeat("x", 100_000) + `"}`, "empty": "",
	} {
		path := filepath.Join(t.TempDir(), "f.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		code, out, errs := verb(t, flags, "run", "x", "--format", path)
		if code != exitUsage || out != "" || !strings.Contains(errs, "format") {
			t.Errorf("%s: exit %d, stdout %q, stderr %q", name, code, out, errs)
		}
	}
	if _, err := os.Stat(filepath.Join(flags["data"], "sextant.db")); err == nil {
		t.Error("the data folder was opened")
	}
}

func TestRunWithAFormatAndNoModelSaysHowToConnectOne(t *testing.T) {
	flags := testFlags(t)
	for _, joined := range []bool{false, true} {
		if joined {
			openWith(t, flags, OpenOptions{Serve: true})
		}
		code, out, errs := verb(t, flags, "run", "which lamp?", "--format", lampFormat(t))
		if code != exitFailed || out != "" || !strings.Contains(errs, "SEXTANT_OPENAI_BASE_URL") ||
			!strings.Contains(errs, "Ollama") {
			t.Errorf("joined %v: exit %d, stdout %q, stderr %q", joined, code, out, errs)
		}
	}
	sys := openWith(t, testFlags(t), OpenOptions{})
	if list, err := sys.Store.Conversations(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("an empty conversation is left: %+v (%v)", list, err)
	}
}

func TestRunWithAFormatJoinsTheRunningSextant(t *testing.T) {
	serviceOf(t, lookAround(), final(), openaitest.Answer{Text: `{"name":"Fen","price":72}`})
	flags := testFlags(t)
	sys := openWith(t, flags, OpenOptions{Serve: true})
	code, out, errs := verb(t, flags, "run", "which lamp?", "--model", "openai/test", "--format", lampFormat(t))
	if code != exitDone || out != `{"name":"Fen","price":72}`+"\n" || !strings.Contains(errs, "joined") ||
		!strings.Contains(errs, "get_workspace_state") {
		t.Errorf("exit %d, stdout %q, stderr %q", code, out, errs)
	}
	list, err := sys.Store.Conversations(t.Context())
	if err != nil || len(list) != 1 || list[0].Title != "which lamp?" {
		t.Errorf("the running Sextant's conversations: %+v (%v)", list, err)
	}
}

func TestProgramGetsAnswersInItsFormatOverHTTP(t *testing.T) {
	model := serviceOf(t, lookAround(), final(), openaitest.Answer{Text: `["Fen"]`})
	model.Answer = func(openaitest.Request) openaitest.Answer { return openaitest.Answer{Text: "Sorry."} }
	sys := openTest(t, OpenOptions{Serve: true})
	c := clientOf(t, sys)
	method, path := sys.Nav.Route("automations_run")
	ask := func(in map[string]any) (status int, a wire.Automation) {
		t.Helper()
		status, body := c.do(method, path, in)
		if status == http.StatusOK {
			if err := json.Unmarshal(body, &a); err != nil {
				t.Fatalf("%v: %s", err, body)
			}
		}
		return status, a
	}
	list := map[string]any{"type": "array", "items": map[string]any{"type": "string"}}
	status, a := ask(map[string]any{
		"prompt": "which lamps?", "format": list, "model": "openai/test",
		"system": "Be brief.", "tools": []string{"get_workspace_state"},
	})
	if status != http.StatusOK || !a.Success || string(a.Result) != `["Fen"]` || a.Calls != 1 || a.Rounds != 3 ||
		a.Conversation == "" {
		t.Errorf("status %d, %+v", status, a)
	}
	for i, r := range model.Requests() {
		if r.Messages[0].Content != "Be brief." || r.HasTool("bash") || !r.HasTool(automation.ToolName) {
			t.Errorf("round %d: system %q", i+1, r.Messages[0].Content)
		}
	}
	status, a = ask(map[string]any{
		"prompt": "which lamps?", "format": "a list of names", "model": "openai/test",
		"repairs": 1,
	})
	if status != http.StatusOK || a.Success || a.ErrorType != toolspec.UserError || a.LastAnswer != "Sorry." ||
		len(a.FormatErrors) != 1 || a.Suggestion == "" {
		t.Errorf("status %d, %+v", status, a)
	}
	for name, in := range map[string]map[string]any{
		"a hostile format": {
			"prompt": "x", "format": map[string]any{"$ref": "file:///etc/passwd"},
			"model": "openai/test",
		},
		"no model": {"prompt": "x", "format": map[string]any{}, "model": "pilot"},
	} {
		if status, a = ask(in); status != http.StatusOK || a.Success || a.ErrorType != toolspec.ValidationError ||
			a.Turn != "" {
			t.Errorf("%s: status %d, %+v", name, status, a)
		}
	}
	if status, _ = ask(map[string]any{
		"prompt": "x", "format": list,
		"conversation": "nowhere",
	}); status != http.StatusNotFound {
		t.Errorf("a conversation that is not there: status %d", status)
	}
}

func TestClosedRequestStopsItsTask(t *testing.T) {
	asked := make(chan struct{}, 1)
	model := serviceOf(t)
	model.Answer = func(openaitest.Request) openaitest.Answer {
		asked <- struct{}{}
		return openaitest.Answer{Text: "waits", StallAfter: 10}
	}
	sys := openTest(t, OpenOptions{Serve: true})
	ended := sys.Events.Subscribe(eventlog.Filter{Kinds: []event.Kind{event.TurnEnded}}, eventlog.FromNow)
	defer ended.Close()
	method, path := sys.Nav.Route("automations_run")
	ctx, leave := context.WithCancel(t.Context())
	url := "http://" + sys.Host()
	gone := make(chan error, 1)
	go func() {
		req, err := http.NewRequestWithContext(ctx, method, url+path,
			strings.NewReader(`{"prompt":"which lamp?","format":"a name","model":"openai/test"}`))
		if err != nil {
			gone <- err
			return
		}
		req.Header.Set("Authorization", "Bearer "+sys.Token())
		req.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(req)
		if err == nil {
			_ = res.Body.Close()
		}
		gone <- err
	}()
	<-asked
	leave()
	if err := <-gone; err == nil {
		t.Error("an answer came")
	}
	e := <-ended.C()
	var end event.Turn
	if err := json.Unmarshal(e.Data, &end); err != nil || end.Status != chat.StatusStopped {
		t.Errorf("the turn ended as %s (%v)", end.Status, err)
	}
}
