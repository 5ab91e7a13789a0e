package apps

import (
	"slices"
	"sync"
)

// maxCached bounds how many pages are cached, each of MaxPage bytes at most.
const maxCached = 12

// PageCache holds the pages that were opened last, each with what it may reach. Its methods may be called
// concurrently; the zero value is ready.
type PageCache struct {
	mu    sync.Mutex
	pages map[string]CachedPage
	order []string
}

// CachedPage is a page and what it may reach.
type CachedPage struct {
	Server  string
	HTML    []byte
	Domains Domains
}

// idPrefix begins the ids of pages; no panel has such an id.
const idPrefix = "app "

// Put stores a server's page and returns its id; it replaces an earlier page of that address.
func (p *PageCache) Put(server string, page Page, allowed []string) (id string) {
	id = idPrefix + server + " " + page.URI
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pages == nil {
		p.pages = map[string]CachedPage{}
	}
	if _, known := p.pages[id]; !known {
		if p.order = append(p.order, id); len(p.order) > maxCached {
			delete(p.pages, p.order[0])
			p.order = p.order[1:]
		}
	}
	p.pages[id] = CachedPage{Server: server, HTML: page.HTML, Domains: page.Domains.among(allowed)}
	return id
}

// Page is the page with that id, if there is one.
func (p *PageCache) Page(id string) (CachedPage, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	page, ok := p.pages[id]
	return page, ok
}

// All are all cached pages.
func (p *PageCache) All() []CachedPage {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := make([]CachedPage, 0, len(p.pages))
	for _, page := range p.pages {
		all = append(all, page)
	}
	return all
}

// Drop removes the pages of a server, because what they may reach has changed.
func (p *PageCache) Drop(server string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.order = slices.DeleteFunc(p.order, func(id string) bool {
		gone := p.pages[id].Server == server
		if gone {
			delete(p.pages, id)
		}
		return gone
	})
}
