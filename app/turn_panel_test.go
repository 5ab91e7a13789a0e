package app

import (
	"strings"
	"testing"

	"sextant/backend/agent/llm/openaitest"
	"sextant/backend/agent/loop"
	"sextant/shared/chat"
)

// TestPanelThatATurnOpensGivesItsTools has a message that was sent while Home was in front. The assistant opens Notes
// and calls a tool of it.
func TestPanelThatATurnOpensGivesItsTools(t *testing.T) {
	model, err := openaitest.Start(
		openaitest.Answer{Calls: []openaitest.Call{{Name: "open_notes_panel", Args: `{}`}}},
		openaitest.Answer{Calls: []openaitest.Call{{Name: "notes_list", Args: `{}`}}},
		openaitest.Answer{Text: "There are none."},
	)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	flags := testFlags(t)
	flags["openai_base_url"] = model.URL()
	sys := openWith(t, flags, OpenOptions{Serve: true})
	o, err := sys.Loop.Run(t.Context(), loop.TurnRequest{Text: "any notes?", Model: "openai/m", Panel: "home"})
	if err != nil || o.Status != chat.StatusDone {
		t.Fatalf("%+v, %v", o, err)
	}
	last := model.Requests()[2].LastContent()
	if strings.Contains(last, "error") || !strings.Contains(last, "notes") {
		t.Errorf("the tool of the opened panel answered %q", last)
	}

	o, err = sys.Loop.Run(t.Context(), loop.TurnRequest{Text: "open notes and run tool notes_list", Panel: "home"})
	if err != nil || o.Status != chat.StatusDone || o.Calls != 2 || !strings.Contains(o.Text, "no notes yet") ||
		strings.Contains(o.Text, "Its tools") {
		t.Errorf("the pilot: %+v, %v", o, err)
	}
}
