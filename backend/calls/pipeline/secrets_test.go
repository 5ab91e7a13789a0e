package pipeline

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// TestWhatAToolCallsSecretIsNeverShownOrKept follows one value through everything that is told
// and stored: the real one reaches the tool alone.
func TestWhatAToolCallsSecretIsNeverShownOrKept(t *testing.T) {
	h := newHouse(t)
	var got string
	h.add(toolspec.Definition{Name: "write", Hints: toolspec.Hints{Confirm: true}}, func(_ context.Context, call toolspec.Call, _ func(string, string)) (toolspec.Result, error) {
		got = string(call.Args)
		return toolspec.Fail(toolspec.UserError, "the field is off", "Wait."), nil
	})
	h.descs["write"] = toolspec.Description{Present: "Typing", Data: "hunter2", Secret: []string{"x"}}
	done := h.start(called("write", `{"x":"hunter2","url":"seen"}`))
	if q := h.question(); strings.Contains(string(jsonOf(t, q)), "hunter2") || !strings.Contains(string(q.Args), "seen") {
		t.Errorf("the question: %s", jsonOf(t, q))
	}
	h.answer(event.AnswerOnce, "")
	failed := <-done
	if !strings.Contains(got, `"hunter2"`) {
		t.Errorf("the tool got %s", got)
	}
	if !strings.HasPrefix(failed.Error, "write(") || strings.Contains(failed.Error, "hunter2") {
		t.Errorf("the error: %s", failed.Error)
	}
	// Arguments that do not fit never reach the tool, and are told of all the same.
	bad := h.do(called("write", `{"x":"hunter2","n":"many"}`))
	if bad.ErrorType != toolspec.ValidationError || strings.Contains(bad.Error+bad.Suggestion, "hunter2") {
		t.Errorf("the refusal: %+v", bad)
	}
	stored, err := h.events.After(t.Context(), 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range stored {
		if strings.Contains(string(e.Data), "hunter2") {
			t.Errorf("%s tells %s", e.Kind, e.Data)
		}
	}
	if rows := jsonOf(t, h.rows()); len(h.rows()) != 2 || strings.Contains(string(rows), "hunter2") || !strings.Contains(string(rows), "seen") {
		t.Errorf("the rows: %s", rows)
	}
}

func jsonOf(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
