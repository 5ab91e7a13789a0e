package automation_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sextant/backend/agent/automation"
	"sextant/backend/agent/llm/openaitest"
	"sextant/backend/agent/loop"
	"sextant/backend/agent/toolcalls"
	"sextant/shared/chat"
	"sextant/shared/toolspec"
)

// manyTools has more tools than fit in a twentieth of the window, one of them a panel's.
func manyTools(t *testing.T, turns ...openaitest.Answer) *harness {
	t.Helper()
	h := newHarness(t, turns...)
	h.window, h.limits = 4000, loop.Limits{CallsPerTurn: 20, Rounds: 20}
	h.more = []toolspec.Definition{def(toolspec.FindTools, true)}
	for i := range 60 {
		h.more = append(h.more, def(fmt.Sprintf("other_%d", i), true))
	}
	own := def("save_note", false)
	own.Origin = toolspec.OriginPanel
	h.more = append(h.more, own)
	return h
}

func meant(tool, args string) openaitest.Call {
	return call(toolspec.CallTool, fmt.Sprintf(`{"tool":%q,"args":%s}`, tool, args))
}

func TestToolSearchInEveryFormat(t *testing.T) {
	for _, kind := range toolcalls.Formats() {
		for name, done := range map[string]openaitest.Call{
			"by itself":       call(automation.ToolName, `{}`),
			"as one it found": meant(automation.ToolName, `{}`),
		} {
			t.Run(string(kind)+" "+name, func(t *testing.T) {
				h := manyTools(t)
				h.kind = kind
				caller := def(toolspec.CallTool, false)
				caller.Parameters = json.RawMessage(
					`{"type":"object","properties":{"tool":{"type":"string"},"args":{"type":"object"}}}`,
				)
				tools := toolcalls.NewToolset([]toolspec.Definition{caller, def(automation.ToolName, false)})
				script := []openaitest.Call{meant("other_7", `{}`), done}
				h.service.Answer = func(r openaitest.Request) openaitest.Answer {
					n := strings.Count(string(r.Body), `"role":"assistant"`)
					switch {
					case n >= len(script):
						return says(`{"name":"Fen","price":72}`)
					case kind == toolcalls.FormatNative:
						return calls(script[n])
					}
					return says(
						toolcalls.Render(kind, toolcalls.Call{Name: script[n].Name, Args: []byte(script[n].Args)},
							tools),
					)
				}
				answer, err := automation.Run(t.Context(), h, h.job(t))
				if err != nil || string(answer.JSON) != `{"name":"Fen","price":72}` || answer.Outcome.Rounds != 3 {
					t.Fatalf("%+v %v", answer, err)
				}
				if diff := cmp.Diff([]string{"other_7"}, h.ran()); diff != "" {
					t.Errorf("ran (-want +got):\n%s", diff)
				}
				requests := h.service.Requests()
				for i, r := range requests {
					if r.Messages[0].Content != requests[0].Messages[0].Content ||
						strings.Contains(string(r.Body), "Does other_9.") {
						t.Errorf("round %d: the system prompt differs, or all tools are listed", i+1)
					}
					if !strings.Contains(string(r.Body), automation.ToolName) {
						t.Errorf("round %d does not tell %s", i+1, automation.ToolName)
					}
				}
			})
		}
	}
}

func TestDisallowedToolDoesNotRunThroughCallTool(t *testing.T) {
	h := manyTools(
		t,
		calls(meant("other_7", "{}"), meant("act", "{}"), meant("look", "{}")),
		calls(call(automation.ToolName, "{}")),
		says(`{"name":"Fen","price":1}`),
	)
	h.window = 1000
	job := h.job(t)
	job.System, job.Tools = "Be brief.", []string{
		"look",
		toolspec.FindTools,
		"other_0",
		"other_1",
		"other_2",
		"other_3",
		"other_4",
		"other_5",
	}
	if _, err := automation.Run(t.Context(), h, job); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"look"}, h.ran()); diff != "" {
		t.Errorf("ran (-want +got):\n%s", diff)
	}
	if !h.service.Requests()[0].HasTool(toolspec.CallTool) {
		t.Error("all tools are listed; this shows nothing")
	}
	if n := strings.Count(string(h.service.Requests()[1].Body), "not one of the tools allowed for this task"); n != 2 {
		t.Errorf("%d calls are reported as refused", n)
	}
}

func TestModelNotesAreNotUserMessages(t *testing.T) {
	h := manyTools(t, says("I look."), says("72."), says("It costs 72."), says(`{"name":"Fen","price":72}`))
	if _, err := automation.Run(t.Context(), h, h.job(t)); err != nil {
		t.Fatal(err)
	}
	mine, notes, panel := 0, 0, 0
	for _, m := range h.messages {
		switch {
		case m.Role == chat.RoleUser:
			mine++
		case m.Role == chat.RoleNote && strings.Contains(m.Text, "save_note"):
			panel++
		case m.Role == chat.RoleNote:
			notes++
		}
	}
	if mine != 1 || notes != 3 || panel != 1 {
		t.Errorf("%d messages of the person, %d notes, the panel's tools listed %d times", mine, notes, panel)
	}
}
