package page

import (
	"context"

	"github.com/dustin/go-humanize/english"

	"sextant/backend/browser"
	"sextant/shared/toolspec"
)

type movePathParams struct {
	Points []point `json:"points" required:"true" max:"200"`
	Press  bool    `json:"press" doc:"hold the button from the first point to the last"`
}

func (t *Tools) movePath() tool {
	return build(tool{
		name: "move_path", hints: toolspec.Hints{OpenWorld: true}, timeout: 60_000,
		examples: []string{
			`{"points":[{"x":40,"y":60},{"x":200,"y":60}],"press":true}`,
			`{"points":[{"x":80,"y":20},{"x":80,"y":140},{"x":260,"y":140}]}`,
			`{"points":[{"x":40,"y":200},{"x":90,"y":120},{"x":140,"y":200},{"x":40,"y":200}],"press":true}`,
		},
	}, func(_ session, p movePathParams) toolspec.Description {
		return toolspec.Description{Sentence: p.verb("Drawing", "Moving")}
	}, func(ctx context.Context, s session, p movePathParams) (toolspec.Result, error) {
		points := make([]browser.Point, len(p.Points))
		for i, q := range p.Points {
			points[i] = browser.Point{X: q.X, Y: q.Y}
		}
		return t.answer(p.verb("Drew", "Moved"))(s.MovePath(ctx, points, p.Press))
	})
}

func (p movePathParams) verb(press, move string) string {
	if !p.Press {
		press = move
	}
	return press + " along " + english.Plural(len(p.Points), "point", "")
}
