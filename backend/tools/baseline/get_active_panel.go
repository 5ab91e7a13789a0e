package baseline

import (
	"context"
	_ "embed"
	"encoding/json"

	"sextant/shared/toolspec"
)

//go:embed get_active_panel.md
var getActivePanelDoc string

// getActivePanelParams: none.
type getActivePanelParams struct{}

func getActivePanel() tool {
	const name = "get_active_panel"
	return tool{
		def: define(name, "workspace", getActivePanelDoc, noParams, toolspec.Hints{ReadOnly: true, Idempotent: true}, `{}`),
		run: func(t *Tools, _ context.Context, args json.RawMessage) (toolspec.Result, error) {
			if bad := decode(name, args, &getActivePanelParams{}); bad != nil {
				return *bad, nil
			}
			id := t.ActivePanel()
			title, tools := spoken(id), []string(nil)
			if p, ok := t.panel(id); ok {
				title, tools = p.Title, p.Tools
			}
			return done(map[string]any{"panel": id, "title": title, "tools": tools}, "", "Looked which panel is active"), nil
		},
		describe: present("Looking which panel is active"),
	}
}
