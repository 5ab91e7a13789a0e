// Package browser is the backend of the browser panel: bookmarks, visited addresses, and the outline of a page. Titles
// and headings are text of the pages, so each result names its sources.
package browser

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"sextant/panels/reply"
	"sextant/shared/event"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// Services contains the functions that the panel needs from other packages.
type Services struct {
	// Bookmarks returns all bookmarks, the latest first. SaveBookmark replaces a bookmark with the same address.
	// RemoveBookmark reports whether there was one.
	Bookmarks      func(ctx context.Context) ([]wire.Bookmark, error)
	SaveBookmark   func(ctx context.Context, b wire.Bookmark) error
	RemoveBookmark func(ctx context.Context, address string) (bool, error)
	// Visits returns at most limit visited pages with the words of query. RecordVisit stores
	// one, or its new title if Count is 0.
	Visits      func(ctx context.Context, query string, suggest bool, limit int) ([]wire.Visit, error)
	RecordVisit func(v wire.Visit)
	// ActiveTab returns the active tab, the zero value if there is none.
	ActiveTab func() event.Tab
	// ReadPage returns the content of the page as Markdown. It makes a call with the provenance of from.
	ReadPage func(ctx context.Context, from toolspec.Call) toolspec.Result
}

const (
	mostVisits    = 200
	mostBookmarks = 1000
	mostHeadings  = 200
	titleLength   = 160
	maxAddress    = 2000
)

// Panel implements the endpoints of the browser panel. It is safe for concurrent use.
type Panel struct {
	services Services

	mu    sync.Mutex
	shown map[int]shownPage
}

// shownPage is what a tab showed when its visit was recorded last.
type shownPage struct{ url, title string }

// New returns a Panel that uses services.
func New(services Services) *Panel { return &Panel{services: services, shown: map[int]shownPage{}} }

// RecordVisits records the web pages that the window's tabs have loaded since the last call as visited at the given
// time.
func (p *Panel) RecordVisits(state event.BrowserState, at time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	open := map[int]shownPage{}
	for _, tab := range state.Tabs {
		now := shownPage{tab.URL, excerpt.Line(tab.Title, titleLength)}
		if tab.Loading || tab.Failure != nil || len(tab.URL) > maxAddress || origin(tab.URL) == "" {
			now = p.shown[tab.ID]
		} else if before := p.shown[tab.ID]; now != before {
			v := wire.Visit{URL: now.url, Title: now.title, Time: at}
			if now.url != before.url {
				v.Count = 1
			}
			p.services.RecordVisit(v)
		}
		open[tab.ID] = now
	}
	p.shown = open
}

func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// Handler returns the handler of the panel's endpoints.
func (p *Panel) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/browser/history", p.history)
	mux.HandleFunc("GET /api/browser/bookmarks", p.bookmarks)
	mux.HandleFunc("POST /api/browser/bookmarks", p.saveBookmark)
	mux.HandleFunc("DELETE /api/browser/bookmarks", p.removeBookmark)
	mux.HandleFunc("GET /api/browser/outline", p.outline)
	return mux
}

func fits(words, text string) bool {
	text = strings.ToLower(text)
	for _, word := range strings.Fields(strings.ToLower(words)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

func (p *Panel) history(w http.ResponseWriter, r *http.Request) {
	all, err := p.services.Visits(r.Context(), r.URL.Query().Get("query"), false, mostVisits)
	if err != nil {
		reply.Refuse(w, http.StatusInternalServerError, "reading visited pages: "+err.Error(), "Try again.")
		return
	}
	if all == nil {
		all = []wire.Visit{}
	}
	var sources []string
	for _, v := range all {
		sources = append(sources, origin(v.URL))
	}
	slices.Sort(sources)
	reply.WriteJSONWithSources(w, r, map[string]any{"visited": all}, slices.Compact(sources)...)
}

func (p *Panel) bookmarks(w http.ResponseWriter, r *http.Request) {
	all, err := p.services.Bookmarks(r.Context())
	if err != nil {
		reply.Refuse(w, http.StatusInternalServerError, "reading bookmarks: "+err.Error(), "Try again.")
		return
	}
	words := r.URL.Query().Get("query")
	all = slices.DeleteFunc(all, func(b wire.Bookmark) bool { return !fits(words, b.URL+" "+b.Title+" "+b.Note) })
	if all == nil {
		all = []wire.Bookmark{}
	}
	var sources []string
	for _, b := range all {
		sources = append(sources, origin(b.URL))
	}
	slices.Sort(sources)
	reply.WriteJSONWithSources(w, r, map[string]any{"bookmarks": all}, slices.Compact(sources)...)
}

func (p *Panel) saveBookmark(w http.ResponseWriter, r *http.Request) {
	var in struct{ URL, Title, Note string }
	reply.DecodeBody(r, &in)
	front := p.services.ActiveTab()
	if in.URL == "" {
		in.URL = front.URL
	}
	if in.Title == "" && in.URL == front.URL {
		in.Title = front.Title
	}
	if origin(in.URL) == "" || len(in.URL) > maxAddress {
		reply.Refuse(w, http.StatusBadRequest, "no page is open that could be bookmarked",
			`Open one, or name it: browser_bookmark_add {"url": "https://example.com/"}`)
		return
	}
	if all, err := p.services.Bookmarks(r.Context()); err == nil && len(all) >= mostBookmarks {
		reply.Refuse(w, http.StatusConflict, "there are too many bookmarks", "Remove some first.")
		return
	}
	b := wire.Bookmark{
		URL: in.URL, Title: excerpt.Line(in.Title, titleLength), Note: excerpt.Line(in.Note, 400),
		Time: time.Now().UTC(),
	}
	if err := p.services.SaveBookmark(r.Context(), b); err != nil {
		reply.Refuse(w, http.StatusInternalServerError, "the bookmark was not saved: "+err.Error(), "Try again.")
		return
	}
	reply.WriteJSONWithSources(w, r, b, origin(b.URL))
}

func (p *Panel) removeBookmark(w http.ResponseWriter, r *http.Request) {
	address := r.URL.Query().Get("url")
	was := wire.Bookmark{URL: address}
	if all, err := p.services.Bookmarks(r.Context()); err == nil {
		if i := slices.IndexFunc(all, func(b wire.Bookmark) bool { return b.URL == address }); i >= 0 {
			was = all[i]
		}
	}
	found, err := p.services.RemoveBookmark(r.Context(), address)
	switch {
	case err != nil:
		reply.Refuse(w, http.StatusInternalServerError, "the bookmark was not removed: "+err.Error(), "Try again.")
	case !found:
		reply.Refuse(w, http.StatusNotFound, "there is no bookmark with that address",
			"List them with browser_bookmarks.")
	default:
		back := map[string]string{"url": was.URL, "title": was.Title, "note": was.Note}
		answer := toolspec.OK(map[string]any{"removed": address, "undo": back})
		answer.Text, answer.Sources = "Removed the bookmark of "+address, []string{origin(address)}
		reply.WriteResult(w, r, answer)
	}
}

func (p *Panel) outline(w http.ResponseWriter, r *http.Request) {
	v := toolspec.CallContextOf(r.Context())
	if v == nil {
		reply.Refuse(w, http.StatusForbidden, "the outline is available to calls only", "")
		return
	}
	content := p.services.ReadPage(r.Context(), v.Call)
	if !content.Success {
		reply.WriteResult(w, r, content)
		return
	}
	var lines []string
	fenced := false
	for line := range strings.SplitSeq(content.ModelText(), "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		level := len(line) - len(strings.TrimLeft(line, "#"))
		if !fenced && level > 0 && level <= 6 && strings.HasPrefix(line[level:], " ") && len(lines) < mostHeadings {
			lines = append(lines, strings.Repeat("  ", level-1)+excerpt.Line(line[level:], titleLength))
		}
	}
	text := strings.Join(lines, "\n")
	if text == "" {
		text = "The page has no headings."
	}
	answer := toolspec.OK(map[string]any{"outline": text})
	answer.Text, answer.Sources, answer.PrivateSources = text, content.Sources, content.PrivateSources
	reply.WriteResult(w, r, answer)
}
