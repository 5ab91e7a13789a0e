package environment

import (
	"context"
	_ "embed"

	"sextant/shared/annotator"
	"sextant/shared/toolspec"
)

//go:embed press_key.md
var pressAbout string

type pressParams struct {
	Key string `json:"key" required:"true"`
}

func (t *Tools) pressKey() tool {
	return build(tool{
		name: "press_key", about: about(pressAbout), hints: toolspec.Hints{OpenWorld: true},
		examples: []string{`{"key":"Enter"}`, `{"key":"Control+a"}`, `{"key":"ArrowDown"}`},
	}, func(_ session, p pressParams) toolspec.Description {
		return toolspec.Description{Present: "Pressing " + annotator.Clean(p.Key, 30)}
	}, func(ctx context.Context, s session, p pressParams) (toolspec.Result, error) {
		a, err := s.Press(ctx, p.Key)
		if err != nil {
			return toolspec.Result{}, err
		}
		return t.answered(a, "", defaultTokens, "Pressed "+annotator.Clean(p.Key, 30)), nil
	})
}
