package app

import (
	"strings"
	"testing"

	"sextant/backend/agent/llm/openaitest"
	"sextant/backend/agent/loop"
	"sextant/shared/chat"
	"sextant/shared/toolspec"
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

func TestToolThatIsNotOfferedSaysWhatOffersIt(t *testing.T) {
	sys := openWith(t, testFlags(t), OpenOptions{Serve: true})
	call := func(tool, panel string) toolspec.Result {
		return sys.Pipeline.Do(t.Context(), toolspec.Call{
			Tool: tool, Args: []byte(`{}`), Panel: panel,
			From: toolspec.Provenance{Caller: toolspec.CallerHTTP},
		})
	}
	if r := call("notes_list", "home"); !strings.Contains(r.Error, "a tool of the panel notes, which is not open") ||
		!strings.Contains(r.Suggestion, "open_notes_panel") {
		t.Errorf("of a closed panel: %q %q", r.Error, r.Suggestion)
	}
	if _, err := sys.Settings.Set(t.Context(), "tools_off", "read_file"); err != nil {
		t.Fatal(err)
	}
	if r := call("read_file", "home"); !strings.Contains(r.Error, "switched off") {
		t.Errorf("switched off: %q %q", r.Error, r.Suggestion)
	}
	if r := call("notes_lisst", "notes"); !strings.Contains(r.Error, "no tool of that name, nearest: notes_list") {
		t.Errorf("misspelled: %q", r.Error)
	}
	o, err := sys.Loop.Run(t.Context(), loop.TurnRequest{Text: "run tool notes_list", Panel: "home"})
	if err != nil || strings.Contains(o.Text, "There is no tool") {
		t.Errorf("the pilot: %+v, %v", o, err)
	}
	t.Log(o.Text)
}
