package workspace_test

import (
	"testing"

	"sextant/shared/toolspec"
)

func TestClosePanelActivatesPrevious(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	first, second := b.nav.Panels[1], "my-sums"
	b.ok(b.nav.OpenTool(first), `{}`)
	b.ok(b.nav.OpenTool(second), `{}`)
	b.takeEvents()
	b.ok("close_panel", `{}`)
	b.published(`panel.closed{"panel":"my-sums"} panel.opened{"panel":"` + first + `"}`)
	if b.ActivePanel() != first {
		t.Errorf("active %s", b.ActivePanel())
	}
}

func TestClosePanelByNameKeepsActive(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	first := b.nav.Panels[1]
	b.ok(b.nav.OpenTool(first), `{}`)
	b.ok(b.nav.OpenTool("my-sums"), `{}`)
	b.takeEvents()
	b.ok("close_panel", `{"panel":"`+first+`"}`)
	b.published(`panel.closed{"panel":"` + first + `"}`)
	if b.ActivePanel() != "my-sums" {
		t.Errorf("active %s", b.ActivePanel())
	}
}

func TestClosePanelRefusesClosedAndLastPanel(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.fails("close_panel", `{"panel":"my-sums"}`, toolspec.UserError, "no such panel is open")
	b.fails("close_panel", `{}`, toolspec.UserError, "only open panel")
	b.ok(b.nav.OpenTool("my-sums"), `{}`)
	for range 3 {
		b.do("close_panel", `{}`)
	}
	if b.ActivePanel() != b.nav.Panels[0] {
		t.Errorf("after closing all: %s", b.ActivePanel())
	}
}
