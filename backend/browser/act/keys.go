package act

import (
	"context"

	"sextant/backend/browser/act/input"
	"sextant/backend/browser/observe"
	"sextant/backend/browser/page"
	"sextant/backend/surface"
	"sextant/shared/annotation"
)

// PressKey presses a key in the active tab, or answers its open dialog (Enter, Escape).
func PressKey(ctx context.Context, s *page.Session, key string) (annotation.Observation, error) {
	if err := input.CheckKey(key); err != nil {
		return annotation.Observation{}, &surface.Fault{
			Kind: surface.FaultInvalid, Message: err.Error(),
			Suggestion: `Send a key such as "Enter" or "Control+a".`,
		}
	}
	t, err := s.ActiveTab(ctx)
	if err != nil {
		return annotation.Observation{}, err
	}
	if t.CurrentDialog() != nil {
		return answerDialogByKey(ctx, s, t, key)
	}
	return s.Act(ctx, t, func(ctx context.Context, a *page.Action) error {
		ctx, cancel := context.WithTimeoutCause(ctx, actionTimeout, observe.ErrUnresponsive)
		defer cancel()
		if err := t.BringToFront(ctx); err != nil {
			return err
		}
		a.SetOutcome("pressed %s", key)
		return input.PressKey(a.Client(ctx), key)
	})
}
