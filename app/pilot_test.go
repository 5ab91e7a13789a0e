package app

import (
	"context"
	"slices"
	"strings"
	"testing"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/pilot"
	"sextant/backend/agent/pilot/commandtable"
	"sextant/backend/agent/pilot/grammar"
	"sextant/backend/pipeline/schema"
	"sextant/shared/annotation"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// Every tool of Sextant's own has a command or a reason why not, and what commands call is what the
// tools take.
func TestEveryBaselineToolHasAPilotCommand(t *testing.T) {
	sys := openTest(t, OpenOptions{})
	defs := sys.Catalog.ForPanel("").All()
	defs = slices.DeleteFunc(defs, func(d toolspec.Definition) bool { return d.Origin != toolspec.OriginBaseline })
	examples, wordless := commandtable.Examples()
	said := map[string]bool{}
	for _, e := range examples {
		said[e.Tool] = true
	}
	for _, d := range defs {
		_, panel := strings.CutPrefix(d.Name, "open_")
		panel = panel && strings.HasSuffix(d.Name, "_panel")
		switch has := said[d.Name] || panel && said["open_*_panel"]; {
		case !has && wordless[d.Name] == "":
			t.Errorf(
				"%s has no command: give it one in backend/agent/pilot/commandtable/table.go, or a reason in "+
					"toolsWithoutCommand there",
				d.Name,
			)
		case has && wordless[d.Name] != "":
			t.Errorf("%s has a command and is excused all the same", d.Name)
		}
	}
	for _, e := range examples {
		known := slices.ContainsFunc(defs, func(d toolspec.Definition) bool { return d.Name == e.Tool })
		if !known && e.Panel == "" && e.Tool != "" && e.Tool != "*" && e.Tool != "open_*_panel" {
			t.Errorf("%q calls %s, which is no tool", e.Text, e.Tool)
		}
	}
}

func TestPilotCommandsMatchTheToolsSchemas(t *testing.T) {
	sys := openTest(t, OpenOptions{})
	all := sys.Catalog.ForPanel("").All()
	functions := make([]toolspec.Function, len(all))
	for i, d := range all {
		functions[i] = d.Function()
	}
	// Some examples name what is on a page or a tab.
	marks := &event.Marks{Elements: []annotation.Element{
		{ID: 4, Role: "searchbox", Name: "Search", Usable: true},
		{ID: 5, Role: "button", Name: "Add to basket · Fen", Usable: true},
		{ID: 6, Role: "combobox", Name: "Sort", Usable: true},
	}}
	tabs := []event.Tab{{ID: 1, Title: "Shop"}, {ID: 2, Title: "Example Domain"}}
	p, checker := pilot.New(pilot.Config{Window: func(string) grammar.WindowState {
		return grammar.WindowState{
			PageInFront: func() bool { return true },
			Marks:       func() *event.Marks { return marks },
			Tabs:        func() []event.Tab { return tabs },
			ActiveTab:   func() int { return 1 },
		}
	}}), schema.New()
	examples, _ := commandtable.Examples()
	checked := 0
	for _, e := range examples {
		if e.Tool == "" || e.Tool == "*" {
			continue
		}
		res, err := p.Stream(context.Background(),
			llm.Request{Messages: []chat.Message{{Role: chat.RoleUser, Text: e.Text}}, Tools: functions},
			func(llm.Delta) {})
		if err != nil || len(res.Calls) != 1 {
			t.Errorf("%q: %v, %q", e.Text, err, res.Text)
			continue
		}
		i := slices.IndexFunc(all, func(d toolspec.Definition) bool { return d.Name == res.Calls[0].Name })
		if _, bad := checker.Check(all[i], res.Calls[0].Args); bad != nil {
			t.Errorf("%q calls %s with %s: %s", e.Text, res.Calls[0].Name, res.Calls[0].Args, bad.Error)
		}
		checked++
	}
	if checked < 150 {
		t.Errorf("only %d examples were checked", checked)
	}
}
