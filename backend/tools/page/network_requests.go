package page

import (
	"context"
	"fmt"

	"sextant/backend/browser"
	"sextant/backend/tools/page/lists"
	"sextant/backend/tools/page/observation"
	"sextant/shared/toolspec"
)

// Contains is not called url, because the policy would judge it as an address to open.
type networkParams struct {
	Contains string `json:"contains" doc:"part of the address"`
	Status   string `json:"status"`
	Type     string `json:"type" enum:"document,stylesheet,image,media,font,script,xhr,fetch,eventsource,websocket,manifest,ping,other"`
	Limit    int    `json:"limit" min:"1" max:"300" default:"50"`
	ID       int    `json:"id" min:"1"`
}

func (t *Tools) networkRequests() tool {
	return build(tool{
		name: "network_requests", hints: toolspec.Hints{ReadOnly: true, OpenWorld: true},
		examples: []string{`{}`, `{"contains":"/api/","status":"4xx"}`, `{"id":12}`},
	}, func(_ session, p networkParams) toolspec.Description {
		if p.ID > 0 {
			return toolspec.Description{Sentence: fmt.Sprintf("Reading request %d", p.ID)}
		}
		return toolspec.Description{Sentence: "Listing the page's requests"}
	}, func(ctx context.Context, s session, p networkParams) (toolspec.Result, error) {
		if p.ID > 0 {
			d, err := s.Request(ctx, p.ID)
			if err != nil {
				return toolspec.Result{}, err
			}
			return lists.Request(d, observation.Sources(s.Address())), nil
		}
		list, more := s.Requests(browser.RequestFilter{URL: p.Contains, Status: p.Status, Type: p.Type, Limit: p.Limit})
		return lists.Requests(list, more, observation.Sources(s.Address())), nil
	})
}
