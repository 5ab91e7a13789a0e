package workspace

import (
	"context"
	_ "embed"
	"encoding/json"

	"sextant/shared/event"
	"sextant/shared/toolspec"
)

//go:embed expand_activity_bar.md
var expandActivityBarDoc string

func expandActivityBar() tool {
	const name = "expand_activity_bar"
	return tool{
		def: define(name, "activity_bar", expandActivityBarDoc, noParams, toolspec.Hints{Idempotent: true}, `{}`),
		run: func(t *Tools, ctx context.Context, _ json.RawMessage) (toolspec.Result, error) {
			return t.setBar(ctx, "Expanded the activity bar", func(bar *event.ActivityBar) { bar.Expanded = true })
		},
		describe: present("Expanding the activity bar"),
	}
}
