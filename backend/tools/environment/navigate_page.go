package environment

import (
	"context"
	_ "embed"
	"strings"

	"sextant/backend/browser"
	"sextant/backend/surface/panelpage"
	"sextant/shared/clip"
	"sextant/shared/toolspec"
)

//go:embed navigate_page.md
var navigateAbout string

type navigateParams struct {
	URL    string `json:"url"`
	Action string `json:"action" enum:"back,forward,reload"`
}

func (t *Tools) navigatePage() tool {
	return build(tool{
		name: "navigate_page", about: about(navigateAbout), hints: toolspec.Hints{OpenWorld: true}, timeout: 60_000,
		examples: []string{`{"url":"https://example.com"}`, `{"url":"localhost:8080/cart"}`, `{"action":"back"}`},
	}, t.describeNavigate, func(ctx context.Context, s session, p navigateParams) (toolspec.Result, error) {
		o := browser.NavigateOptions{Action: p.Action}
		switch {
		case p.URL != "" && p.Action != "":
			return toolspec.Result{}, &argumentError{"url and action stand together", "send one of them"}
		case p.URL == "" && p.Action == "":
			return toolspec.Result{}, &argumentError{"url or action is missing", `send {"url":"https://example.com"} or {"action":"back"}`}
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
		where := place(a.Page.URL)
		sentence := map[string]string{"": "Opened ", "back": "Went back to ", "forward": "Went forward to ", "reload": "Reloaded "}[p.Action] + where
		return t.answered(a, "", defaultTokens, sentence), nil
	})
}

func (t *Tools) describeNavigate(s session, p navigateParams) toolspec.Description {
	switch p.Action {
	case "back":
		return toolspec.Description{Present: "Going back"}
	case "forward":
		return toolspec.Description{Present: "Going forward"}
	case "reload":
		return toolspec.Description{Present: "Reloading the page"}
	}
	u, err := t.address(p.URL)
	if err != nil {
		return toolspec.Description{Present: "Opening an address", Target: clip.Runes(p.URL, 200)}
	}
	d := toolspec.Description{Present: "Opening " + place(u), Target: u, Linked: s.HasLink(u)}
	if h := hostOf(u); h != "" {
		d.Hosts = []string{h}
	}
	return d
}

// place is what a person would call an address: its host, or the address itself.
func place(address string) string {
	if id, panel := strings.CutPrefix(address, panelpage.Scheme); panel {
		return "the panel " + id
	}
	if h := hostOf(address); h != "" {
		return h
	}
	if address == "" || address == "about:blank" {
		return "an empty page"
	}
	return clip.Runes(address, 80)
}
