package workspace

import (
	"context"
	_ "embed"
	"encoding/json"

	"sextant/shared/event"
	"sextant/shared/toolspec"
)

//go:embed collapse_activity_bar.md
var collapseActivityBarDoc string

func collapseActivityBar() tool {
	const name = "collapse_activity_bar"
	return tool{
		def: define(name, "activity_bar", collapseActivityBarDoc, noParams, toolspec.Hints{Idempotent: true}, `{}`),
		run: func(t *Tools, ctx context.Context, _ json.RawMessage) (toolspec.Result, error) {
			return t.setBar(ctx, "Collapsed the activity bar", func(bar *event.ActivityBar) { bar.Expanded = false })
		},
		describe: present("Collapsing the activity bar"),
	}
}
