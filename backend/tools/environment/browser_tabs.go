package environment

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"sextant/backend/surfaces/browser"
	"sextant/shared/annotator"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

//go:embed browser_tabs.md
var tabsAbout string

type tabsParams struct {
	Action string `json:"action" enum:"list,open,select,close" default:"\"list\""`
	Tab    int    `json:"tab" min:"1"`
	URL    string `json:"url" doc:"to open"`
}

// tabList is what browser_tabs gives to programs.
type tabList struct {
	seen
	Tabs []event.Tab `json:"tabs"`
}

func (t *Tools) browserTabs() tool {
	return build(tool{
		name: "browser_tabs", about: about(tabsAbout), hints: toolspec.Hints{OpenWorld: true}, timeout: 60_000,
		examples: []string{`{"action":"list"}`, `{"action":"open","url":"https://example.com"}`, `{"action":"select","tab":2}`},
	}, t.describeTabs, func(ctx context.Context, s session, p tabsParams) (toolspec.Result, error) {
		if (p.Action == "select" || p.Action == "close") && p.Tab == 0 {
			return toolspec.Result{}, &argumentError{"tab is missing", fmt.Sprintf(`send {"action":%q,"tab":1}; {"action":"list"} gives the numbers`, p.Action)}
		}
		o := browser.TabOptions{Action: p.Action, Tab: p.Tab}
		if p.Action == "open" && p.URL != "" {
			u, err := t.address(p.URL)
			if err != nil {
				return toolspec.Result{}, err
			}
			o.URL = u
		}
		a, tabs, err := s.Tabs(ctx, o)
		if err != nil {
			return toolspec.Result{}, err
		}
		return listed(a, tabs, p), nil
	})
}

// listed puts the list of tabs before the answer's elements.
func listed(a annotator.Answer, tabs []event.Tab, p tabsParams) toolspec.Result {
	sentence := map[string]string{
		"list": "Listed " + plural(len(tabs), "tab"), "open": "Opened " + place(a.Page.URL) + " in a new tab",
		"select": fmt.Sprintf("Switched to tab %d", p.Tab), "close": fmt.Sprintf("Closed tab %d", p.Tab),
	}[p.Action]
	r := answered(a, defaultTokens, sentence)
	var b strings.Builder
	var from []string
	for i, tab := range tabs {
		mark := ""
		if tab.ID == a.Page.Tab {
			mark = " (current)"
		}
		line := fmt.Sprintf("tab %d: %s | %s%s", tab.ID, annotator.Clean(tab.Title, 100), annotator.Clean(tab.URL, 300), mark)
		b.WriteString(line + "\n")
		if i < 4 {
			r.Preview = append(r.Preview, line)
		}
		for _, s := range sources(tab.URL) {
			if !slices.Contains(from, s) {
				from = append(from, s)
			}
		}
	}
	r.Text = b.String() + r.Text
	r.Sources = from
	if v, ok := r.Value.(seen); ok {
		v.Text = r.Text
		if tabs == nil {
			tabs = []event.Tab{}
		}
		r.Value = tabList{seen: v, Tabs: tabs}
	}
	return r
}

func (t *Tools) describeTabs(s session, p tabsParams) toolspec.Description {
	switch p.Action {
	case "open":
		d := toolspec.Description{Present: "Opening a new tab"}
		if u, err := t.address(p.URL); err == nil {
			d.Present, d.Target = "Opening "+place(u)+" in a new tab", u
			d.Linked = s.Links(u)
			if h := hostOf(u); h != "" {
				d.Hosts = []string{h}
			}
		}
		return d
	case "select":
		return toolspec.Description{Present: fmt.Sprintf("Switching to tab %d", p.Tab)}
	case "close":
		return toolspec.Description{Present: fmt.Sprintf("Closing tab %d", p.Tab)}
	}
	return toolspec.Description{Present: "Listing the tabs"}
}
