package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

func endpoint(base *url.URL, path string, query url.Values) *url.URL {
	u := *base
	if path != "" {
		u = *base.JoinPath(path)
	}
	u.RawQuery = query.Encode()
	return &u
}

func (s search) bySafety(off, moderate, strict string) string {
	switch s.safe {
	case "off":
		return off
	case "strict":
		return strict
	}
	return moderate
}

// duckDuckGo reads DuckDuckGo's page for browsers without scripts.
func duckDuckGo() provider {
	return provider{
		name: "duckduckgo", base: "https://html.duckduckgo.com/html/",
		request: func(s search, base *url.URL) (*url.URL, http.Header) {
			return endpoint(base, "", url.Values{"q": {s.query}, "kp": {s.bySafety("-2", "-1", "1")}}),
				http.Header{"Accept": {"text/html"}}
		},
		results: func(_ search, r *response) ([]searchResult, error) {
			doc, err := html.Parse(bytes.NewReader(r.body))
			if err != nil {
				return nil, fmt.Errorf("its page cannot be read: %w", err)
			}
			var all []searchResult
			walk(doc, func(n *html.Node) {
				if hasClass(n, "result") && !hasClass(n, "result--ad") {
					all = append(all, duckResult(n))
				}
			})
			if len(all) == 0 && (bytes.Contains(r.body, []byte("anomaly")) || r.status == http.StatusAccepted) {
				return nil, errors.New("it takes this program for a bot and does not answer now")
			}
			if len(all) == 0 && !bytes.Contains(r.body, []byte("no-results")) &&
				!bytes.Contains(r.body, []byte("No results")) {
				return nil, errors.New("its page has a format that is not known")
			}
			return all, nil
		},
	}
}

func duckResult(n *html.Node) searchResult {
	var f searchResult
	walk(n, func(n *html.Node) {
		switch {
		case n.DataAtom == atom.A && hasClass(n, "result__a") && f.URL == "":
			f.Title, f.URL = textOf(n), redirectTarget(attribute(n, "href"))
		case hasClass(n, "result__snippet") && f.Snippet == "":
			f.Snippet = textOf(n)
		}
	})
	return f
}

// DuckDuckGo links to its results through a redirect, //duckduckgo.com/l/?uddg=….
func redirectTarget(href string) string {
	u, err := url.Parse(href)
	if err != nil {
		return ""
	}
	if to := u.Query().Get("uddg"); to != "" {
		return to
	}
	if u.Scheme == "" && u.Host != "" {
		u.Scheme = "https"
	}
	return u.String()
}

func brave() provider {
	return provider{
		name: "brave", base: "https://api.search.brave.com", needs: []string{"search_key"},
		request: func(s search, base *url.URL) (*url.URL, http.Header) {
			u := endpoint(base, "res/v1/web/search", url.Values{
				"q": {s.query}, "count": {strconv.Itoa(s.count)},
				"safesearch": {s.bySafety("off", "moderate", "strict")},
			})
			return u, http.Header{"Accept": {"application/json"}, "X-Subscription-Token": {s.key}}
		},
		results: func(_ search, r *response) ([]searchResult, error) {
			var page struct {
				Web struct {
					Results []struct{ Title, URL, Description string }
				}
			}
			if err := json.Unmarshal(r.body, &page); err != nil {
				return nil, errors.New("its answer is not the JSON that was expected")
			}
			var all []searchResult
			for _, x := range page.Web.Results {
				all = append(all, searchResult{stripHTML(x.Title), x.URL, stripHTML(x.Description)})
			}
			return all, nil
		},
	}
}

func google() provider {
	return provider{
		name: "google", base: "https://www.googleapis.com", needs: []string{"search_key", "search_cx"},
		request: func(s search, base *url.URL) (*url.URL, http.Header) {
			u := endpoint(base, "customsearch/v1", url.Values{
				"q": {s.query}, "num": {strconv.Itoa(s.count)}, "safe": {s.bySafety("off", "active", "active")},
				"key": {s.key}, "cx": {s.engine},
			})
			return u, http.Header{"Accept": {"application/json"}}
		},
		results: func(_ search, r *response) ([]searchResult, error) {
			var page struct {
				Items []struct{ Title, Link, Snippet string }
			}
			if err := json.Unmarshal(r.body, &page); err != nil {
				return nil, errors.New("its answer is not the JSON that was expected")
			}
			var all []searchResult
			for _, x := range page.Items {
				all = append(all, searchResult{x.Title, x.Link, x.Snippet})
			}
			return all, nil
		},
	}
}

// The settings of a SearXNG server must allow JSON.
func searxng() provider {
	return provider{
		name: "searxng", needs: []string{"search_url"},
		request: func(s search, base *url.URL) (*url.URL, http.Header) {
			u := endpoint(base, "search", url.Values{
				"q": {s.query}, "format": {"json"},
				"safesearch": {s.bySafety("0", "1", "2")},
			})
			return u, http.Header{"Accept": {"application/json"}}
		},
		results: func(_ search, r *response) ([]searchResult, error) {
			var page struct {
				Results []struct{ Title, URL, Content string }
			}
			if err := json.Unmarshal(r.body, &page); err != nil {
				return nil, errors.New("its answer is not JSON; its setting search.formats must hold json")
			}
			var all []searchResult
			for _, x := range page.Results {
				all = append(all, searchResult{x.Title, x.URL, x.Content})
			}
			return all, nil
		},
	}
}

func stripHTML(s string) string {
	doc, err := html.Parse(strings.NewReader(s))
	if err != nil {
		return ""
	}
	return textOf(doc)
}

func textOf(n *html.Node) string {
	var b strings.Builder
	var read func(n *html.Node)
	read = func(n *html.Node) {
		switch {
		case n.Type == html.TextNode:
			b.WriteString(n.Data)
		case n.DataAtom == atom.Script || n.DataAtom == atom.Style:
			return
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			read(c)
		}
	}
	read(n)
	return b.String()
}

func walk(n *html.Node, do func(*html.Node)) {
	if n.Type == html.ElementNode {
		do(n)
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		walk(c, do)
	}
}

func hasClass(n *html.Node, name string) bool {
	for _, c := range strings.Fields(attribute(n, "class")) {
		if c == name {
			return true
		}
	}
	return false
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
