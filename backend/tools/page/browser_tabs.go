package page

import (
	"context"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize/english"

	"sextant/backend/browser"
	"sextant/backend/tools/page/observation"
	"sextant/shared/annotation"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

type tabsParams struct {
	Action string `json:"action" enum:"list,open,select,close" default:"\"list\""`
	Tab    int    `json:"tab" min:"1"`
	URL    string `json:"url" doc:"to open"`
}

func (t *Tools) browserTabs() tool {
	return build(tool{
		name: "browser_tabs", hints: toolspec.Hints{OpenWorld: true}, timeout: 60_000,
		examples: []string{
			`{"action":"list"}`, `{"action":"open","url":"https://example.com"}`,
			`{"action":"select","tab":2}`,
		},
	}, t.describeTabs, func(ctx context.Context, s session, p tabsParams) (toolspec.Result, error) {
		if (p.Action == "select" || p.Action == "close") && p.Tab == 0 {
			return toolspec.Result{}, &argumentError{
				"tab is missing", fmt.Sprintf(`send {"action":%q,"tab":1}; {"action":"list"} returns the numbers`,
					p.Action),
			}
		}
		o := browser.TabCommand{Action: p.Action, Tab: p.Tab}
		if p.Action == "open" && p.URL != "" {
			u, err := t.address(p.URL)
			if err != nil {
				return toolspec.Result{}, err
			}
			o.URL = u
		}
		a, tabs, err := s.ManageTabs(ctx, o)
		if err != nil {
			return toolspec.Result{}, err
		}
		return t.tabList(a, tabs, p)
	})
}

func (t *Tools) tabList(a annotation.Observation, tabs []event.Tab, p tabsParams) (toolspec.Result, error) {
	sentence := map[string]string{
		"list":   "Listed " + english.Plural(len(tabs), "tab", ""),
		"open":   "Opened " + observation.DisplayName(a.Page.URL) + " in a new tab",
		"select": fmt.Sprintf("Switched to tab %d", p.Tab), "close": fmt.Sprintf("Closed tab %d", p.Tab),
	}[p.Action]
	// With many tabs, each line is shorter, so that the page keeps most of the budget.
	long := min(max(900/max(len(tabs), 1), 12), 300)
	lines := make([]string, len(tabs))
	var from []string
	for i, tab := range tabs {
		mark := ""
		if tab.ID == a.Page.Tab {
			mark = " (current)"
		}
		title := annotation.Quote(annotation.Clean(tab.Title, min(long, 100)))
		lines[i] = fmt.Sprintf("tab %d: %s | %s%s\n", tab.ID, title, annotation.Clean(tab.URL, long), mark)
		from = append(from, observation.Sources(tab.URL)...)
	}
	r := t.resultOf(a, strings.Join(lines, ""), observation.DefaultMaxTokens, sentence)
	for _, line := range lines[:min(4, len(lines))] {
		r.Preview = append(r.Preview, strings.TrimSuffix(line, "\n"))
	}
	r.Sources = observation.SortedUnique(from)
	if tabs == nil {
		tabs = []event.Tab{}
	}
	v, _ := r.Value.(observation.Value)
	v, err := v.With("tabs", tabs)
	r.Value = v
	return r, err
}

func (t *Tools) describeTabs(s session, p tabsParams) toolspec.Description {
	switch p.Action {
	case "open":
		d := toolspec.Description{Sentence: "Opening a new tab"}
		if u, err := t.address(p.URL); err == nil {
			d.Sentence, d.Target = "Opening "+observation.DisplayName(u)+" in a new tab", u
			d.IsPageLink = s.HasLink(u)
			d.Hosts = observation.Hosts(u)
		}
		return d
	case "select":
		return toolspec.Description{Sentence: fmt.Sprintf("Switching to tab %d", p.Tab)}
	case "close":
		return toolspec.Description{Sentence: fmt.Sprintf("Closing tab %d", p.Tab)}
	}
	return toolspec.Description{Sentence: "Listing the tabs"}
}
