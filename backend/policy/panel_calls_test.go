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
	wantVerdict(t, own.ofPanel(), VerdictAllow)
	wantVerdict(t, externalCall(toolspec.OriginPanel, "notes_add", "other", `{}`, toolspec.Hints{}).ofPanel(),
		VerdictRefuse)
	wantVerdict(t, externalCall(toolspec.OriginMCP, "notes__add", "notes", `{}`, toolspec.Hints{}).ofPanel(),
		VerdictRefuse)
	read := baselineCall("files", "read_file", `{"path":"a"}`, toolspec.Hints{ReadOnly: true})
	if d := wantVerdict(t, read.ofPanel("write_file"), VerdictRefuse); d.ErrorType != toolspec.PermissionError ||
		!strings.Contains(d.Suggestion, `"read_file" to permissions.call_tools`) {
		t.Errorf("%+v", d)
	}
	wantVerdict(t, read.ofPanel("read_file"), VerdictAsk)
	nameless := own.ofPanel()
	nameless.Call.From.Client, nameless.Definition.Owner = "", ""
	wantVerdict(t, nameless, VerdictRefuse)
	for _, mode := range []Mode{ModeAsk, ModeWorkspace, ModeFull} {
		wantVerdict(t, read.ofPanel("read_file").mode(mode), VerdictAsk)
		wantVerdict(t, read.ofPanel("read_file").mode(mode).alone(), VerdictRefuse)
		wantVerdict(t, read.ofPanel().mode(mode), VerdictRefuse)
	}
	// A grant does not add to what the manifest asks for.
	g := toolspec.Grant{
		Scope: toolspec.GrantAlways, Tool: "read_file", Grantee: "panel:notes",
		Outside: []string{PanelSource("notes")},
	}
	wantVerdict(t, read.ofPanel("read_file").with(g), VerdictAllow)
	wantVerdict(t, read.ofPanel().with(g), VerdictRefuse)
}

func TestPanelTextDoesNotTaintItsOwnTools(t *testing.T) {
	own := externalCall(toolspec.OriginPanel, "notes_add", "notes", `{"text":"x"}`, toolspec.Hints{}).ofPanel()
	wantVerdict(t, own, VerdictAllow)
	if d := wantVerdict(t, own.read("https://shop.example", PanelSource("notes")),
		VerdictAsk); strings.Contains(d.Approval.Reason, "panel:notes") {
		t.Errorf("why: %s", d.Approval.Reason)
	}
	wantVerdict(t, own.read(PanelSource("other")), VerdictAsk)
	// The tool of another gets its text.
	send := baselineCall("web", "http_request", `{"url":"https://api.example/"}`,
		toolspec.Hints{OpenWorld: true}).hosts("api.example").ofPanel("http_request")
	d := wantVerdict(t, send, VerdictAsk)
	wantVerdict(t, send.with(grantFor(t, d, event.AnswerAlways)), VerdictAllow)
	other := send
	other.Call.Args = []byte(`{"url":"https://api.example/?q=10437"}`)
	wantVerdict(t, other.with(grantFor(t, d, event.AnswerAlways)), VerdictAsk)
}

func TestPanelHasNoTypedHostsAndNoYesTo(t *testing.T) {
	open := pageCall(
		"navigate_page",
		`{"url":"http://127.0.0.1:8080/"}`,
	).hosts("127.0.0.1:8080").
		ofPanel("navigate_page")
	wantVerdict(t, open, VerdictRefuse)
	click := pageCall("click_element", `{"annotationId":3}`).ofPanel("click_element")
	wantVerdict(t, click, VerdictAsk)
	click.Call.From.YesTo = "all"
	wantVerdict(t, click, VerdictAsk)
}

func TestAsksForUnconfinedProgramAtEachStart(t *testing.T) {
	in := externalCall(toolspec.OriginPanel, "count", "words", `{}`,
		toolspec.Hints{Confirm: true}).about("node server.mjs", "")
	in.Description.NewProgram = "the Words panel's program"
	in.Description.Unconfined = "this kernel is too old"
	for _, mode := range []Mode{ModeAsk, ModeWorkspace, ModeFull} {
		t.Run(string(mode), func(t *testing.T) {
			d := wantVerdict(t, in.mode(mode), VerdictAsk)
			if len(d.Grants) > 0 ||
				!strings.Contains(d.Approval.Reason, "outside of the sandbox: this kernel is too old.") {
				t.Errorf("why %q, grants %v", d.Approval.Reason, d.Grants)
			}
		})
	}
	in.Description.Unconfined = ""
	if d := wantVerdict(t, in, VerdictAsk); len(d.Grants) == 0 {
		t.Error("the start of a confined program offers no grant")
	}
}
