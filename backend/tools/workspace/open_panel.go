package workspace

import (
	"context"
	_ "embed"
	"encoding/json"
	"strings"

	"sextant/shared/event"
	"sextant/shared/toolspec"
)

//go:embed open_panel.md
var openPanelDoc string

func (t *Tools) openPanel(p event.Panel) tool {
	title := p.Title
	if title == "" {
		title = titleOf(p.ID)
	}
	doc := strings.NewReplacer("{{title}}", title, "{{description}}",
		strings.TrimSpace(p.Description)).Replace(openPanelDoc)
	def := define(t.cfg.Nav.OpenTool(p.ID), "navigation", doc, noParams, toolspec.Hints{Idempotent: true}, `{}`)
	return tool{
		def: def,
		run: func(t *Tools, ctx context.Context, _ json.RawMessage) (toolspec.Result, error) {
			if err := t.update(ctx, func(s *state) []event.Event { return t.show(s, p.ID) }); err != nil {
				return toolspec.Result{}, err
			}
			value := map[string]any{"panel": p.ID, "title": title, "tools": p.Tools}
			text := "Opened the " + title + " panel."
			if len(p.Tools) > 0 {
				text += " Its tools: " + strings.Join(p.Tools, ", ") + "."
			}
			return ok(value, text, "Opened the "+title+" panel"), nil
		},
		describe: present("Opening the " + title + " panel"),
	}
}
