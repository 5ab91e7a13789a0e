package web

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dustin/go-humanize"

	"sextant/backend/toolkit"
	"sextant/shared/annotation"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

//go:embed web_search.md
var webSearchDoc string

const (
	maxQuery          = 400 // characters
	defaultResults    = 5
	maxResults        = 10
	searchesPerMinute = 10
	searchTimeout     = 20 * time.Second
	maxTitle          = 200
	maxSnippet        = 500
	maxResultURL      = 2000
)

type webSearchParams struct {
	Query      string `json:"query"`
	NumResults int    `json:"num_results"`
}

type searchResult struct {
	Title   string `json:"title"`
	URL     string `json:"url"`
	Snippet string `json:"snippet"`
}

type search struct {
	query string
	count int
	safe  string // off, moderate or strict
	key   string
	// engine is the id of a Google search engine.
	engine string
}

type provider struct {
	name string
	// base is the address of the service, or "" if there is no default. The setting search_url replaces it.
	base    string
	needs   []string
	request func(s search, base *url.URL) (*url.URL, http.Header)
	results func(s search, r *response) ([]searchResult, error)
}

// SearchProviders returns the values of the setting search_provider. The first is the default.
func SearchProviders() []string {
	var names []string
	for _, p := range providers() {
		names = append(names, p.name)
	}
	return names
}

func providers() []provider { return []provider{duckDuckGo(), brave(), google(), searxng()} }

func webSearch() tool {
	const name = "web_search"
	return tool{
		def: define(name, webSearchDoc,
			`{"type":"object","properties":{`+
				`"query":{"type":"string","minLength":1,"maxLength":400,"description":"What to search for."},`+
				`"num_results":{"type":"integer","minimum":1,"maximum":10,"default":5}},`+
				`"required":["query"],"additionalProperties":false}`,
			toolspec.Hints{ReadOnly: true, OpenWorld: true}, `{"query":"desk lamp E27 review","num_results":3}`,
			`{"query":"site:docs.example.com dimmer"}`, `{"query":"\"E27\" LED energy label","num_results":10}`),
		describe: func(t *Tools, call toolspec.Call) toolspec.Description {
			var p webSearchParams
			_ = json.Unmarshal(call.Args, &p)
			d := toolspec.Description{
				Sentence: fmt.Sprintf("Searching the web for %q", excerpt.Line(p.Query, 60)), Data: p.Query,
				LimitMS: int(searchTimeout.Milliseconds()),
			}
			if _, base, bad := t.provider(); bad == nil {
				d.Hosts, d.Target = hosts(base), base.Host
				d.Question = fmt.Sprintf("Search the web for “%s” with %s?", excerpt.Line(p.Query, 80), base.Host)
			}
			return d
		},
		run: func(ctx context.Context, t *Tools, call toolspec.Call, out progress) toolspec.Result {
			var p webSearchParams
			if bad := toolkit.Decode(call.Args, &p); bad != nil {
				return *bad
			}
			return t.search(ctx, call, p, out)
		},
	}
}

func (t *Tools) provider() (provider, *url.URL, *toolspec.Result) {
	bad := func(text, next string) (provider, *url.URL, *toolspec.Result) {
		r := toolspec.Fail(toolspec.UserError, text, next)
		return provider{}, nil, &r
	}
	all := providers()
	chosen := all[0]
	if name := t.cfg.Setting("search_provider"); name != "" {
		found := false
		for _, p := range all {
			if p.name == name {
				chosen, found = p, true
			}
		}
		if !found {
			return bad(fmt.Sprintf("there is no search provider %q", name),
				"Set search_provider to "+strings.Join(SearchProviders(), ", ")+".")
		}
	}
	for _, setting := range chosen.needs {
		if t.cfg.Setting(setting) == "" {
			return bad("searching with "+chosen.name+" needs the setting "+setting,
				"Ask the person to set SEXTANT_"+strings.ToUpper(setting)+
					", or search_provider to duckduckgo, which needs no key.")
		}
	}
	address := t.cfg.Setting("search_url")
	if address == "" {
		address = chosen.base
	}
	base, unusable := parse(address)
	if unusable != nil {
		return bad("the setting search_url is not an address: "+unusable.Error,
			"Ask the person to set it to one such as https://search.example.")
	}
	return chosen, base, nil
}

func (t *Tools) search(ctx context.Context, call toolspec.Call, p webSearchParams, out progress) toolspec.Result {
	query := strings.Join(strings.Fields(excerpt.Printable(p.Query)), " ")
	switch n := utf8.RuneCountInString(query); {
	case n == 0:
		return toolspec.Fail(toolspec.ValidationError, "query is empty", `For example {"query":"desk lamp review"}.`)
	case n > maxQuery:
		return toolspec.Fail(toolspec.ValidationError,
			fmt.Sprintf("query has %d characters; the most is %d", n, maxQuery), "Search for a few words.")
	}
	if p.NumResults == 0 {
		p.NumResults = defaultResults
	}
	if p.NumResults < 1 || p.NumResults > maxResults {
		return toolspec.Fail(toolspec.ValidationError, fmt.Sprintf("num_results is %d", p.NumResults),
			fmt.Sprintf("Send 1 to %d.", maxResults))
	}
	by, base, bad := t.provider()
	if bad != nil {
		return *bad
	}
	if bad := t.limited(t.searches, "search_per_minute", searchesPerMinute); bad != nil {
		return *bad
	}
	s := search{
		query: query, count: p.NumResults, safe: t.cfg.Setting("search_safe"),
		key: t.cfg.Setting("search_key"), engine: t.cfg.Setting("search_cx"),
	}
	if s.safe == "" {
		s.safe = "moderate"
	}
	u, header := by.request(s, base)
	r, bad := t.fetch(ctx, exchange{
		method: http.MethodGet, url: u, header: header, call: call,
		timeout: searchTimeout,
	}, out)
	if bad != nil {
		return *bad
	}
	return toolResult(by, base, s, r)
}

func toolResult(by provider, base *url.URL, s search, r *response) toolspec.Result {
	failed := func(why, next string) toolspec.Result {
		bad := toolspec.Fail(toolspec.SystemError, "searching with "+by.name+": "+why, next)
		bad.Sources = []string{origin(base)}
		return bad
	}
	switch {
	case r.status == http.StatusTooManyRequests:
		return failed("it allows no more searches for now", "Wait a minute, or set another search_provider.")
	case r.status == http.StatusUnauthorized, r.status == http.StatusForbidden:
		return failed("it answered "+r.statusLine(),
			"Ask the person to check the settings search_key and search_provider.")
	case r.status >= 300:
		return failed("it answered "+r.statusLine(), "Try again later, or set another search_provider.")
	case r.more:
		return failed("its answer is longer than "+humanize.IBytes(maxRead), "Set another search_provider.")
	}
	all, err := by.results(s, r)
	if err != nil {
		return failed(err.Error(), "Try again later, or set another search_provider.")
	}
	list := usable(all, s.count)
	result := toolspec.OK(map[string]any{"query": s.query, "provider": by.name, "results": list})
	var b strings.Builder
	for i, f := range list {
		_, _ = fmt.Fprintf(&b, "%d. %s\n   %s\n", i+1, f.Title, f.URL)
		if f.Snippet != "" {
			b.WriteString("   " + f.Snippet + "\n")
		}
	}
	if len(list) == 0 {
		b.WriteString("No results. Try other words.\n")
	}
	result.Text = b.String()
	found := fmt.Sprintf("%d results", len(list))
	if len(list) == 1 {
		found = "1 result"
	}
	result.Sentence = fmt.Sprintf("Searched the web for %q: %s", excerpt.Line(s.query, 60), found)
	for _, f := range list[:min(3, len(list))] {
		result.Preview = append(result.Preview, excerpt.Line(f.Title, 80))
	}
	result.Sources = []string{origin(base)}
	return result
}

func usable(all []searchResult, n int) []searchResult {
	list, seen := []searchResult{}, map[string]bool{}
	for _, f := range all {
		u, bad := parse(f.URL)
		if bad != nil || len(f.URL) > maxResultURL || seen[u.String()] {
			continue
		}
		seen[u.String()] = true
		f = searchResult{
			Title: annotation.Clean(f.Title, maxTitle), URL: u.String(),
			Snippet: annotation.Clean(f.Snippet, maxSnippet),
		}
		if f.Title == "" {
			f.Title = u.Host
		}
		if list = append(list, f); len(list) == n {
			break
		}
	}
	return list
}
