package manifest

import (
	"sextant/backend/panels/view"
	"sextant/shared/event"
)

// ReadPage reads and checks the declarative page of the panel in the folder dir. The tree is nil if the page has
// problems or the panel has no declarative page.
func ReadPage(dir string, plan *Plan) (*view.Tree, []Problem) {
	ui := plan.Manifest.UI
	if ui == nil || ui.Kind != "declarative" {
		return nil, nil
	}
	text, err := view.ReadFile(dir, ui.Entry)
	if err != nil {
		return nil, []Problem{{File: ui.Entry, Severity: event.SeverityError, Text: err.Error()}}
	}
	return checkPage(text, plan)
}

func checkPage(text []byte, plan *Plan) (*view.Tree, []Problem) {
	tools := make([]view.Tool, 0, len(plan.Tools))
	for _, t := range plan.Tools {
		tools = append(tools, view.Tool{Name: t.Name, ReadOnly: t.Def.Hints.ReadOnly, Parameters: t.Def.Parameters})
	}
	return view.Check(plan.Manifest.UI.Entry, text, tools)
}
