package page

import (
	"context"

	"sextant/backend/browser"
	"sextant/backend/tools/page/observation"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

type navigateParams struct {
	URL    string `json:"url"`
	Action string `json:"action" enum:"back,forward,reload"`
}

func (t *Tools) navigatePage() tool {
	return build(tool{
		name: "navigate_page", hints: toolspec.Hints{OpenWorld: true}, timeout: 60_000,
		examples: []string{`{"url":"https://example.com"}`, `{"url":"localhost:8080/cart"}`, `{"action":"back"}`},
	}, t.describeNavigate, func(ctx context.Context, s session, p navigateParams) (toolspec.Result, error) {
		o := browser.NavigateOptions{Action: p.Action}
		switch {
		case p.URL != "" && p.Action != "":
			return toolspec.Result{}, &argumentError{"url and action cannot be combined", "send one of them"}
		case p.URL == "" && p.Action == "":
			return toolspec.Result{}, &argumentError{
				"url or action is missing",
				`send {"url":"https://example.com"} or {"action":"back"}`,
			}
		case p.URL != "":
			u, err := t.address(p.URL)
			if err != nil {
				return toolspec.Result{}, err
			}
			o.URL = u
		}
		a, err := s.Navigate(ctx, o)
		if err != nil {
			return toolspec.Result{}, err
		}
		where := observation.DisplayName(a.Page.URL)
		sentence := map[string]string{
			"": "Opened ", "back": "Went back to ", "forward": "Went forward to ",
			"reload": "Reloaded ",
		}[p.Action] + where
		return t.result(a, sentence), nil
	})
}

func (t *Tools) describeNavigate(s session, p navigateParams) toolspec.Description {
	switch p.Action {
	case "back":
		return toolspec.Description{Sentence: "Going back"}
	case "forward":
		return toolspec.Description{Sentence: "Going forward"}
	case "reload":
		return toolspec.Description{Sentence: "Reloading the page"}
	}
	u, err := t.address(p.URL)
	if err != nil {
		return toolspec.Description{Sentence: "Opening an address", Target: excerpt.TruncateRunes(p.URL, 200)}
	}
	d := toolspec.Description{Sentence: "Opening " + observation.DisplayName(u), Target: u, IsPageLink: s.HasLink(u)}
	d.Hosts = observation.Hosts(u)
	return d
}
