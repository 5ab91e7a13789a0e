package policy

import (
	"strings"
	"testing"

	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// ofPanel is a call that the panel notes makes; its page stands in the context.
func (in Input) ofPanel(callTools ...string) Input {
	in.Call.From = toolspec.Provenance{
		Caller: toolspec.CallerPanel, Client: "notes", Interactive: true,
		Outside: []string{PanelSource("notes")},
	}
	in.PanelTools = callTools
	return in
}

func TestAPanelReachesItsOwnToolsAndThoseItsManifestNames(t *testing.T) {
	own := foreign(toolspec.OriginPanel, "notes_add", "notes", `{}`, toolspec.Hints{})
	comesTo(t, own.ofPanel(), Allow)
	comesTo(t, foreign(toolspec.OriginPanel, "notes_add", "other", `{}`, toolspec.Hints{}).ofPanel(), Refuse)
	comesTo(t, foreign(toolspec.OriginMCP, "notes__add", "notes", `{}`, toolspec.Hints{}).ofPanel(), Refuse)
	read := ours("files", "read_file", `{"path":"a"}`, toolspec.Hints{ReadOnly: true})
	if d := comesTo(t, read.ofPanel("write_file"), Refuse); d.ErrorType != toolspec.PermissionError ||
		!strings.Contains(d.Suggestion, `"read_file" to permissions.call_tools`) {
		t.Errorf("%+v", d)
	}
	comesTo(t, read.ofPanel("read_file"), Question)
	nameless := own.ofPanel()
	nameless.Call.From.Client, nameless.Definition.Owner = "", ""
	comesTo(t, nameless, Refuse)
	for _, m := range []Mode{Ask, Workspace, Full} {
		comesTo(t, read.ofPanel("read_file").mode(m), Question)
		comesTo(t, read.ofPanel("read_file").mode(m).alone(), Refuse)
		comesTo(t, read.ofPanel().mode(m), Refuse)
	}
	// The grant of a person does not widen what the manifest asks for.
	g := toolspec.Grant{
		Scope: toolspec.GrantAlways, Tool: "read_file", Party: "panel:notes",
		Outside: []string{PanelSource("notes")},
	}
	comesTo(t, read.ofPanel("read_file").with(g), Allow)
	comesTo(t, read.ofPanel().with(g), Refuse)
}

func TestWhatAPanelSaysOfItselfDoesNotSteerItsOwnToolsButWhatItReadDoes(t *testing.T) {
	own := foreign(toolspec.OriginPanel, "notes_add", "notes", `{"text":"x"}`, toolspec.Hints{}).ofPanel()
	comesTo(t, own, Allow)
	if d := comesTo(t, own.read("https://shop.example", PanelSource("notes")),
		Question); strings.Contains(d.Approval.Why, "panel:notes") {
		t.Errorf("why: %s", d.Approval.Why)
	}
	comesTo(t, own.read(PanelSource("other")), Question)
	// With another's tool its words leave it.
	send := ours("web", "http_request", `{"url":"https://api.example/"}`,
		toolspec.Hints{OpenWorld: true}).hosts("api.example").ofPanel("http_request")
	d := comesTo(t, send, Question)
	comesTo(t, send.with(kept(t, d, event.AnswerAlways)), Allow)
	other := send
	other.Call.Args = []byte(`{"url":"https://api.example/?q=10437"}`)
	comesTo(t, other.with(kept(t, d, event.AnswerAlways)), Question)
}

func TestAPanelTypesNothingAndIsToldNothingBeforehand(t *testing.T) {
	open := page("navigate_page", `{"url":"http://127.0.0.1:8080/"}`).hosts("127.0.0.1:8080").ofPanel("navigate_page")
	comesTo(t, open, Refuse)
	click := page("click_element", `{"annotationId":3}`).ofPanel("click_element")
	comesTo(t, click, Question)
	click.Call.From.YesTo = "all"
	comesTo(t, click, Question)
}

func TestAProgramThatNoSandboxKeepsIsAskedForAtEachStartInEveryMode(t *testing.T) {
	in := foreign(toolspec.OriginPanel, "count", "words", `{}`, toolspec.Hints{Confirm: true}).about("node server.mjs",
		"")
	in.Description.NewProgram = "the Words panel's program"
	in.Description.Unconfined = "this kernel is too old"
	for _, m := range []Mode{Ask, Workspace, Full} {
		d := comesTo(t, in.mode(m), Question)
		if len(d.Grants) > 0 || !strings.Contains(d.Approval.Why, "outside of the sandbox: this kernel is too old.") {
			t.Errorf("%s: %+v", m, d)
		}
	}
	in.Description.Unconfined = ""
	if d := comesTo(t, in, Question); len(d.Grants) == 0 {
		t.Error("the start of a confined one cannot be allowed for good")
	}
}
