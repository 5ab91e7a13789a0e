package page

import (
	"context"
	"fmt"

	"sextant/backend/tools/page/lists"
	"sextant/backend/tools/page/observation"
	"sextant/shared/toolspec"
)

type downloadsParams struct {
	Action string `json:"action" enum:"list,cancel" default:"\"list\""`
	ID     int    `json:"id" min:"1" doc:"to cancel"`
}

func (t *Tools) downloads() tool {
	return build(tool{
		name: "downloads", hints: toolspec.Hints{OpenWorld: true},
		examples: []string{`{}`, `{"action":"cancel","id":2}`, `{"action":"list"}`},
	}, func(_ session, p downloadsParams) toolspec.Description {
		if p.Action == "cancel" {
			return toolspec.Description{Sentence: fmt.Sprintf("Cancelling download %d", p.ID)}
		}
		return toolspec.Description{Sentence: "Listing the downloads"}
	}, func(ctx context.Context, s session, p downloadsParams) (toolspec.Result, error) {
		sentence := "Listed the downloads"
		if p.Action == "cancel" {
			if p.ID == 0 {
				return toolspec.Result{}, &argumentError{
					"id is missing",
					`send {"action":"cancel","id":1}; {} returns the numbers`,
				}
			}
			if err := s.CancelDownload(ctx, p.ID); err != nil {
				return toolspec.Result{}, err
			}
			sentence = fmt.Sprintf("Cancelled download %d", p.ID)
		}
		return lists.Downloads(s.Downloads(), s.KeepsDownloads(), sentence, observation.Sources(s.Address())), nil
	})
}
