package page

import (
	"context"
	"encoding/json"
	"strconv"
	"testing"

	"sextant/backend/browser/observe/identity"
	"sextant/backend/panelpage"
	"sextant/shared/navigation"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// noWindow is a window that answers nothing and can be closed.
type noWindow struct{ closed bool }

func (n *noWindow) HasWindow() bool { return !n.closed }

func (n *noWindow) Ask(context.Context, wire.SurfaceRequest) (json.RawMessage, error) {
	return nil, context.Canceled
}

func TestSurfaceResolution(t *testing.T) {
	nav, err := navigation.Load()
	if err != nil {
		t.Fatal(err)
	}
	book := identity.NewElementRegistry()
	w := &noWindow{}
	win := panelpage.New(panelpage.Config{Elements: book, Title: func(string) string { return "" }})
	win.SetWindowClient(w)
	active := nav.Panels[0]
	tools, err := assemble(func(string) session { return session{} }, nav,
		Config{PanelPages: win, ActivePanel: func() string { return active }})
	if err != nil {
		t.Fatal(err)
	}
	tab := func(number int) int {
		ids, _, err := book.Assign(number, number*10, 0, []identity.Node{{Handle: 1, Role: "button"}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return ids[0]
	}
	onPage, onPanel := tab(1), tab(-1)
	win.Page("notes") // the first panel asked for has the tab -1
	model := func(turn string) toolspec.Provenance {
		return toolspec.Provenance{Caller: toolspec.CallerModel, Turn: turn}
	}
	number := func(id int) string { b, _ := json.Marshal(map[string]int{"annotationId": id}); return string(b) }
	const notes, page = "notes", ""
	steps := func(id int) string {
		return `{"steps":[{"tool":"press_key","key":"a"},{"tool":"click_element","annotationId":` + strconv.Itoa(id) +
			`}]}`
	}
	for _, step := range []struct {
		says   string
		active string
		before func()
		tool   string
		args   string
		from   toolspec.Provenance
		want   string
	}{
		{"the start means the browser", nav.Panels[0], nil, "annotate_page", `{}`, model("1"), page},
		{"the turn keeps to it when the person looks elsewhere", notes, nil, "annotate_page", `{}`, model("1"), page},
		{"a new turn means what is in front", notes, nil, "annotate_page", `{}`, model("2"), notes},
		{
			"also when the person goes to the browser meanwhile", nav.SurfacePanel, nil, "scroll_page", `{}`, model("2"),
			notes,
		},
		{"a number of the browser stays the browser's", notes, nil, "click_element", number(onPage), model("3"), page},
		{
			"a number of a panel stays the panel's", nav.SurfacePanel, nil, "click_element",
			number(onPanel), model("4"),
			notes,
		},
		{"so do steps", nav.SurfacePanel, nil, "run_steps", steps(onPanel), model("4"), notes},
		{
			"who opens a panel means it", nav.SurfacePanel, func() { tools.RecordPanelOpened("5", notes) }, "annotate_page", `{}`,
			model("5"), notes,
		},
		{
			"who opens the browser's panel means the browser", notes,
			func() { tools.RecordPanelOpened("5", nav.SurfacePanel) },
			"annotate_page", `{}`, model("5"), page,
		},
		{
			"a person outside of a turn means what is in front", notes, nil, "annotate_page", `{}`,
			toolspec.Provenance{Caller: toolspec.CallerPerson},
			notes,
		},
		{"what only the browser has means the browser", notes, nil, "navigate_page", `{}`, model("6"), page},
		{
			"another program means the browser", notes, nil, "annotate_page", `{}`,
			toolspec.Provenance{Caller: toolspec.CallerHTTP},
			page,
		},
		{
			"and does not reach a panel by its number", notes, nil, "click_element", number(onPanel),
			toolspec.Provenance{Caller: toolspec.CallerMCP, Session: "x"},
			page,
		},
		{
			"nor does a panel reach another", notes, nil, "click_element", number(onPanel),
			toolspec.Provenance{Caller: toolspec.CallerPanel, Client: "other"},
			page,
		},
		{
			"without a window nothing is in front", notes, func() { w.closed = true }, "annotate_page", `{}`, model("7"),
			page,
		},
	} {
		if active = step.active; step.before != nil {
			step.before()
		}
		s, err := tools.surfaceOf(toolspec.Call{Tool: step.tool, Args: json.RawMessage(step.args), From: step.from})
		if err != nil {
			t.Errorf("%s: %v", step.says, err)
			continue
		}
		got := page
		if s.panel != nil {
			got = s.panel.Panel()
		}
		if got != step.want {
			t.Errorf("%s: it means %q, not %q", step.says, got, step.want)
		}
	}
	if _, err := tools.surfaceOf(toolspec.Call{
		Tool: "upload_file", Args: json.RawMessage(number(onPanel)),
		From: model("8"),
	}); err == nil {
		t.Error("a tool of the browser alone takes a panel's number")
	}
}
