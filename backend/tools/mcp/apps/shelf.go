package apps

import (
	"slices"
	"sync"
)

// maxShown bounds how many pages are kept to be shown again, each of MaxPage bytes at most.
const maxShown = 12

// Shelf holds the pages that were shown last, each with what it may reach. Its methods may be called
// concurrently; the zero value is ready.
type Shelf struct {
	mu    sync.Mutex
	pages map[string]Shown
	order []string
}

// Shown is a page and what it may reach.
type Shown struct {
	Server  string
	HTML    []byte
	Domains Domains
}

// idPrefix begins the ids of pages; no panel has an id like it.
const idPrefix = "app "

// Put keeps a server's page under the id that is returned; it replaces an earlier one of that address.
func (s *Shelf) Put(server string, page Page, allowed []string) (id string) {
	id = idPrefix + server + " " + page.URI
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pages == nil {
		s.pages = map[string]Shown{}
	}
	if _, known := s.pages[id]; !known {
		if s.order = append(s.order, id); len(s.order) > maxShown {
			delete(s.pages, s.order[0])
			s.order = s.order[1:]
		}
	}
	s.pages[id] = Shown{Server: server, HTML: page.HTML, Domains: page.Domains.Among(allowed)}
	return id
}

// Page is the page of that id; false when none is kept.
func (s *Shelf) Page(id string) (Shown, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	page, ok := s.pages[id]
	return page, ok
}

// All are the pages that are kept.
func (s *Shelf) All() []Shown {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]Shown, 0, len(s.pages))
	for _, page := range s.pages {
		all = append(all, page)
	}
	return all
}

// Drop forgets the pages of a server: what they may reach is no longer so.
func (s *Shelf) Drop(server string) {
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
