package app

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/pilot"
	"sextant/backend/panels/calls"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// The command pilot makes a panel: one question that shows every file, then it is open and its
// own tools can be called.
func TestPilotCreatesAWorkingPanel(t *testing.T) {
	sys := openWith(t, testFlags(t), OpenOptions{Serve: true})
	all := sys.Catalog.ForPanel("").All()
	functions := make([]toolspec.Function, len(all))
	for i, d := range all {
		functions[i] = d.Function()
	}
	said, err := pilot.New(pilot.Config{}).Stream(context.Background(), llm.Request{
		Messages: []chat.Message{{Role: chat.RoleUser, Text: "make panel shopping-list"}}, Tools: functions,
	}, func(llm.Delta) {})
	if err != nil || len(said.Calls) != 1 {
		t.Fatalf("the pilot calls %+v, %v", said, err)
	}
	made := said.Calls[0]
	questions, r := sys.asked(t, event.AnswerOnce, func() toolspec.Result {
		return sys.Pipeline.Do(t.Context(), toolspec.Call{
			ID: "c1", Tool: made.Name, Args: made.Args,
			From: toolspec.Provenance{Caller: toolspec.CallerPilot, Interactive: true},
		})
	})
	if !r.Success {
		t.Fatalf("got %+v", r)
	}
	if len(questions) != 1 || !strings.Contains(questions[0].Data, `"shopping_list_add"`) ||
		!strings.Contains(questions[0].Data, "backend.js:") ||
		!strings.Contains(questions[0].Target, filepath.Join("panels", "shopping-list")) {
		t.Errorf("it was asked: %+v", questions)
	}
	if active := sys.Workspace.ActivePanel(); active != "shopping-list" {
		t.Errorf("%s is open", active)
	}
	for _, call := range [][2]string{{"shopping_list_add", `{"text":"Oat milk"}`}, {"shopping_list_show", `{}`}} {
		_, r = sys.asked(t, event.AnswerOnce, func() toolspec.Result {
			return sys.panelCalls.Call(t.Context(),
				calls.Request{Panel: "shopping-list", Tool: call[0], Args: []byte(call[1]), Interactive: true})
		})
		if !r.Success {
			t.Fatalf("%s: %+v", call[0], r)
		}
	}
	if !strings.Contains(r.ModelText(), "Oat milk") {
		t.Errorf("the list is %s", r.ModelText())
	}
}
