package policy

import (
	"strings"
	"testing"

	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// ofPanel returns a call by the panel notes, whose page is in the context.
func (in Input) ofPanel(callTools ...string) Input {
	in.Call.From = toolspec.Provenance{
		Caller: toolspec.CallerPanel, Client: "notes", Interactive: true,
		Outside: []string{PanelSource("notes")},
	}
	in.PanelTools = callTools
	return in
}

func TestPanelMayCallOwnAndManifestTools(t *testing.T) {
	own := externalCall(toolspec.OriginPanel, "notes_add", "notes", `{}`, toolspec.Hints{})
	wantVerdict(t, own.ofPanel(), Allow)
	wantVerdict(t, externalCall(toolspec.OriginPanel, "notes_add", "other", `{}`, toolspec.Hints{}).ofPanel(), Refuse)
	wantVerdict(t, externalCall(toolspec.OriginMCP, "notes__add", "notes", `{}`, toolspec.Hints{}).ofPanel(), Refuse)
	read := baselineCall("files", "read_file", `{"path":"a"}`, toolspec.Hints{ReadOnly: true})
	if d := wantVerdict(t, read.ofPanel("write_file"), Refuse); d.ErrorType != toolspec.PermissionError ||
		!strings.Contains(d.Suggestion, `"read_file" to permissions.call_tools`) {
		t.Errorf("%+v", d)
	}
	wantVerdict(t, read.ofPanel("read_file"), Question)
	nameless := own.ofPanel()
	nameless.Call.From.Client, nameless.Definition.Owner = "", ""
	wantVerdict(t, nameless, Refuse)
	for _, m := range []Mode{Ask, Workspace, Full} {
		wantVerdict(t, read.ofPanel("read_file").mode(m), Question)
		wantVerdict(t, read.ofPanel("read_file").mode(m).alone(), Refuse)
		wantVerdict(t, read.ofPanel().mode(m), Refuse)
	}
	// A grant does not add to what the manifest asks for.
	g := toolspec.Grant{
		Scope: toolspec.GrantAlways, Tool: "read_file", Party: "panel:notes",
		Outside: []string{PanelSource("notes")},
	}
	wantVerdict(t, read.ofPanel("read_file").with(g), Allow)
	wantVerdict(t, read.ofPanel().with(g), Refuse)
}

func TestPanelTextDoesNotTaintItsOwnTools(t *testing.T) {
	own := externalCall(toolspec.OriginPanel, "notes_add", "notes", `{"text":"x"}`, toolspec.Hints{}).ofPanel()
	wantVerdict(t, own, Allow)
	if d := wantVerdict(t, own.read("https://shop.example", PanelSource("notes")),
		Question); strings.Contains(d.Approval.Why, "panel:notes") {
		t.Errorf("why: %s", d.Approval.Why)
	}
	wantVerdict(t, own.read(PanelSource("other")), Question)
	// The tool of another gets its text.
	send := baselineCall("web", "http_request", `{"url":"https://api.example/"}`,
		toolspec.Hints{OpenWorld: true}).hosts("api.example").ofPanel("http_request")
	d := wantVerdict(t, send, Question)
	wantVerdict(t, send.with(grantFor(t, d, event.AnswerAlways)), Allow)
	other := send
	other.Call.Args = []byte(`{"url":"https://api.example/?q=10437"}`)
	wantVerdict(t, other.with(grantFor(t, d, event.AnswerAlways)), Question)
}

func TestPanelHasNoTypedHostsAndNoYesTo(t *testing.T) {
	open := pageCall("navigate_page", `{"url":"http://127.0.0.1:8080/"}`).hosts("127.0.0.1:8080").ofPanel("navigate_page")
	wantVerdict(t, open, Refuse)
	click := pageCall("click_element", `{"annotationId":3}`).ofPanel("click_element")
	wantVerdict(t, click, Question)
	click.Call.From.YesTo = "all"
	wantVerdict(t, click, Question)
}

func TestAsksForUnconfinedProgramAtEachStart(t *testing.T) {
	in := externalCall(toolspec.OriginPanel, "count", "words", `{}`, toolspec.Hints{Confirm: true}).about("node server.mjs",
		"")
	in.Description.NewProgram = "the Words panel's program"
	in.Description.Unconfined = "this kernel is too old"
	for _, m := range []Mode{Ask, Workspace, Full} {
		d := wantVerdict(t, in.mode(m), Question)
		if len(d.Grants) > 0 || !strings.Contains(d.Approval.Why, "outside of the sandbox: this kernel is too old.") {
			t.Errorf("%s: %+v", m, d)
		}
	}
	in.Description.Unconfined = ""
	if d := wantVerdict(t, in, Question); len(d.Grants) == 0 {
		t.Error("the start of a confined program offers no grant")
	}
}
