package workspace_test

import (
	"strings"
	"testing"

	"sextant/shared/toolspec"
)

func TestGetWorkspaceState(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.ok(b.nav.OpenTool("my-sums"), `{}`)
	b.ok("enhance_baseline_prompt", `{"note":"Be brief."}`)
	text := b.ok("get_workspace_state", `{}`).ModelText()
	for _, want := range []string{
		"Active panel: my-sums", "- my-sums (The my-sums), open",
		"- torn (Torn), off: manifest.json 3:1: title is missing.",
		`manifest.json 3:1: title is missing. Correct would be: "title": "Torn"`,
		"Activity bar: narrow; device desktop", "Prompt note 1: Be brief.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

func TestGetActivePanel(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.ok(b.nav.OpenTool("my-sums"), `{}`)
	if got := b.ok("get_active_panel",
		`{}`).ModelText(); got != `{"panel":"my-sums","title":"The my-sums","tools":["add_up"]}` {
		t.Errorf("%s", got)
	}
}

func TestFocusSurface(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.ok("focus_surface", `{"surface":"assistant"}`)
	b.published(`surface.focused{"surface":"assistant"}`)
	b.fails("focus_surface", `{"surface":"my-sums"}`, toolspec.UserError, b.nav.OpenTool("my-sums"))
	b.fails("focus_surface", `{"surface":"moon"}`, toolspec.UserError, "assistant, page")
	b.ok(b.nav.OpenTool("my-sums"), `{}`)
	b.ok(b.nav.OpenTool(b.nav.Panels[1]), `{}`)
	b.takeEvents()
	b.ok("focus_surface", `{"surface":"my-sums"}`)
	b.published(`panel.opened{"panel":"my-sums"} surface.focused{"surface":"my-sums"}`)
	if b.ActivePanel() != "my-sums" || b.FocusedSurface() != "my-sums" {
		t.Errorf("active %s, focus %s", b.ActivePanel(), b.FocusedSurface())
	}
}
