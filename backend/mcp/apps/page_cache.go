package apps

import (
	"slices"
	"sync"
)

const maxCached = 12

// PageCache holds at most 12 pages; another one replaces the page that was added first. Its methods may be called
// concurrently; the zero value is ready.
type PageCache struct {
	mu    sync.Mutex
	pages map[string]CachedPage
	order []string
}

// CachedPage is a page with the origins that it may use.
type CachedPage struct {
	Server  string
	HTML    []byte
	Domains Domains
}

// idPrefix has a space, which no panel id contains.
const idPrefix = "app "

// Put stores a server's page and returns its id. allowed are the uses that the person allowed, see Domains.Uses. It
// replaces the server's page with the same address.
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

// Page returns the page with that id, if it is cached.
func (p *PageCache) Page(id string) (CachedPage, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	page, ok := p.pages[id]
	return page, ok
}

// Pages returns the cached pages, in no particular order.
func (p *PageCache) Pages() []CachedPage {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := make([]CachedPage, 0, len(p.pages))
	for _, page := range p.pages {
		all = append(all, page)
	}
	return all
}

// Drop removes the pages of a server.
func (p *PageCache) Drop(server string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.order = slices.DeleteFunc(p.order, func(id string) bool {
		drop := p.pages[id].Server == server
		if drop {
			delete(p.pages, id)
		}
		return drop
	})
}
