package workspace

import (
	"context"

	"sextant/shared/event"
	"sextant/shared/toolspec"
)

func (t *Tools) setBar(ctx context.Context, sentence string, edit func(*event.ActivityBar)) (toolspec.Result, error) {
	var bar event.ActivityBar
	err := t.update(ctx, func(s *state) []event.Event {
		edit(&s.Bar)
		bar = s.Bar
		return []event.Event{event.New(event.ActivityBarChanged, bar)}
	})
	if err != nil {
		return toolspec.Result{}, err
	}
	return ok(bar, "", sentence), nil
}
