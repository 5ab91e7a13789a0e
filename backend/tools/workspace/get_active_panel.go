package workspace

import (
	"context"
	_ "embed"
	"encoding/json"

	"sextant/shared/toolspec"
)

//go:embed get_active_panel.md
var getActivePanelDoc string

func getActivePanel() tool {
	const name = "get_active_panel"
	return tool{
		def: define(name, "workspace", getActivePanelDoc, noParams, toolspec.Hints{ReadOnly: true, Idempotent: true},
			`{}`),
		run: func(t *Tools, _ context.Context, _ json.RawMessage) (toolspec.Result, error) {
			id := t.ActivePanel()
			title, tools := titleOf(id), []string(nil)
			if p, ok := t.panel(id); ok {
				title, tools = p.Title, p.Tools
			}
			return ok(map[string]any{"panel": id, "title": title, "tools": tools}, "",
				"Checked which panel is active"), nil
		},
		describe: present("Checking which panel is active"),
	}
}
