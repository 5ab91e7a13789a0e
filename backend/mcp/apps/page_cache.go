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
func (s *PageCache) Put(server string, page Page, allowed []string) (id string) {
	id = idPrefix + server + " " + page.URI
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pages == nil {
		s.pages = map[string]CachedPage{}
	}
	if _, known := s.pages[id]; !known {
		if s.order = append(s.order, id); len(s.order) > maxCached {
			delete(s.pages, s.order[0])
			s.order = s.order[1:]
		}
	}
	s.pages[id] = CachedPage{Server: server, HTML: page.HTML, Domains: page.Domains.among(allowed)}
	return id
}

// Page is the page with that id, if there is one.
func (s *PageCache) Page(id string) (CachedPage, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	page, ok := s.pages[id]
	return page, ok
}

// All are all cached pages.
func (s *PageCache) All() []CachedPage {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]CachedPage, 0, len(s.pages))
	for _, page := range s.pages {
		all = append(all, page)
	}
	return all
}

// Drop removes the pages of a server, because what they may reach has changed.
func (s *PageCache) Drop(server string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.order = slices.DeleteFunc(s.order, func(id string) bool {
		gone := s.pages[id].Server == server
		if gone {
			delete(s.pages, id)
		}
		return gone
	})
}
