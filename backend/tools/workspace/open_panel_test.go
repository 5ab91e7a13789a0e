package workspace_test

import (
	"slices"
	"strings"
	"testing"

	"sextant/shared/event"
)

func TestOpenPanelActivatesIt(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	home := b.nav.Panels[0]
	if b.ActivePanel() != home || !slices.Equal(b.OpenPanels(), []string{home}) {
		t.Fatalf("at first: %s, %v", b.ActivePanel(), b.OpenPanels())
	}
	r := b.ok(b.nav.OpenTool("my-sums"), `{}`)
	b.published(`panel.opened{"panel":"my-sums"}`)
	if b.ActivePanel() != "my-sums" || !strings.Contains(r.ModelText(), "add_up") {
		t.Errorf("active %s, the model reads %q", b.ActivePanel(), r.ModelText())
	}
	b.ok(b.nav.OpenTool("my-sums"), `{}`)
	if got := b.OpenPanels(); !slices.Equal(got, []string{home, "my-sums"}) && !slices.Equal(got, []string{"my-sums"}) {
		t.Errorf("opened twice: %v", got)
	}
}

func TestPanelAddedLaterCanBeOpened(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.panels = append(b.panels, event.Panel{ID: "late-one", Title: "Late", Usable: true})
	b.ok("open_late_one_panel", `{}`)
	if b.ActivePanel() != "late-one" {
		t.Errorf("active %s", b.ActivePanel())
	}
}
