// Package identity gives annotations their numbers.
//
// A number is an identity, not a position: it names one node of one document in one tab,
// comes from one counter for the whole browser and is never used again. A page that
// renders anew replaces nodes by others that look the same; a number moves to such a
// replacement only when the old node is gone and exactly one living node has its
// fingerprint. In every other case the old number stays dead and the node gets a new one:
// nobody acts on a guess.
//
// The package is bookkeeping only. What lives in a document it asks of its caller.
package identity

import (
	"slices"
	"sync"
)

// keep bounds how many numbers of ended documents are remembered, so that an error can
// still say what a number was.
const keep = 20_000

// Seen is one node as the collector found it.
type Seen struct {
	Handle          int
	Key, Role, Name string
	// Origin is that of the document, "" when it has none of its own.
	Origin string
	// Secret: what is typed into it is hidden.
	Secret bool
}

// Thing is what a number stands for.
type Thing struct {
	ID, Tab, Doc, Handle int
	Key, Role, Name      string
	// Origin is that of its document, "" for none. Secret stays true once the node was seen to
	// hide what is typed into it: a page that then shows it makes it no less of a secret.
	Origin string
	Secret bool
}

// Asker answers about the document that is being numbered. Its methods are only called
// when a replacement is possible.
type Asker interface {
	// Connected tells for each handle whether its node is still in the document.
	Connected(handles []int) ([]bool, error)
	// Keys counts the living nodes of the whole document by fingerprint.
	Keys() (map[string]int, error)
}

// Book holds all numbers of a browser. Its methods may be called concurrently; Number for
// one document must not.
type Book struct {
	mu     sync.Mutex
	last   int
	things map[int]*Thing
	docs   map[int]*document
	ended  []int
}

type document struct {
	tab      int
	byHandle map[int]int
	byKey    map[string][]int
}

// NewBook returns an empty Book.
func NewBook() *Book { return &Book{things: map[int]*Thing{}, docs: map[int]*document{}} }

// Thing tells what a number stands for; false when it was never given or is forgotten.
func (b *Book) Thing(id int) (Thing, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if t := b.things[id]; t != nil {
		return *t, true
	}
	return Thing{}, false
}

// Given reports whether the number was ever given out.
func (b *Book) Given(id int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return id > 0 && id <= b.last
}

// ID is the number of a node, 0 when it has none.
func (b *Book) ID(doc, handle int) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if d := b.docs[doc]; d != nil {
		return d.byHandle[handle]
	}
	return 0
}

// Number gives every node in seen its number, in order. rebound lists the numbers that
// moved to a replacement. An error comes from ask.
func (b *Book) Number(tab, doc int, seen []Seen, ask Asker) (ids, rebound []int, err error) {
	moves, err := b.moves(doc, seen, ask)
	if err != nil {
		return nil, nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	d := b.docs[doc]
	if d == nil {
		d = &document{tab: tab, byHandle: map[int]int{}, byKey: map[string][]int{}}
		b.docs[doc] = d
	}
	ids = make([]int, len(seen))
	for i, s := range seen {
		id := d.byHandle[s.Handle]
		if id == 0 {
			if id = moves[s.Handle]; id != 0 {
				delete(d.byHandle, b.things[id].Handle)
				b.things[id].Handle = s.Handle
				rebound = append(rebound, id)
			} else {
				b.last++
				id = b.last
				b.things[id] = &Thing{ID: id, Tab: tab, Doc: doc, Handle: s.Handle}
			}
			d.byHandle[s.Handle] = id
		}
		t := b.things[id]
		t.Role, t.Name, t.Origin, t.Secret = s.Role, s.Name, s.Origin, t.Secret || s.Secret
		d.rekey(b.things[id], s.Key)
		ids[i] = id
	}
	return ids, rebound, nil
}

// rekey notes that t now has the fingerprint key.
func (d *document) rekey(t *Thing, key string) {
	if t.Key == key {
		return
	}
	if old := d.byKey[t.Key]; t.Key != "" {
		d.byKey[t.Key] = slices.DeleteFunc(old, func(id int) bool { return id == t.ID })
	}
	t.Key = key
	d.byKey[key] = append(d.byKey[key], t.ID)
}

// moves finds which new nodes replace which numbers: new handle → number.
func (b *Book) moves(doc int, seen []Seen, ask Asker) (map[int]int, error) {
	fresh, olds := b.candidates(doc, seen)
	if len(fresh) == 0 {
		return nil, nil
	}
	b.mu.Lock()
	handles := make([]int, len(olds))
	for i, id := range olds {
		handles[i] = b.things[id].Handle
	}
	b.mu.Unlock()
	connected, err := ask.Connected(handles)
	if err != nil {
		return nil, err
	}
	gone := map[string][]int{}
	b.mu.Lock()
	for i, id := range olds {
		if i < len(connected) && !connected[i] {
			key := b.things[id].Key
			gone[key] = append(gone[key], id)
		}
	}
	b.mu.Unlock()
	if len(gone) == 0 {
		return nil, nil
	}
	live, err := ask.Keys()
	if err != nil {
		return nil, err
	}
	moves := map[int]int{}
	for key, ids := range gone {
		if len(ids) == 1 && live[key] == 1 {
			moves[fresh[key]] = ids[0]
		} else {
			b.bury(doc, ids)
		}
	}
	return moves, nil
}

// candidates are the fingerprints that one new node and some unseen number share: the new
// node's handle by fingerprint, and those numbers.
func (b *Book) candidates(doc int, seen []Seen) (map[string]int, []int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	d := b.docs[doc]
	if d == nil {
		return nil, nil
	}
	here := make(map[int]bool, len(seen))
	for _, s := range seen {
		here[s.Handle] = true
	}
	fresh := map[string]int{}
	var olds []int
	for _, s := range seen {
		if d.byHandle[s.Handle] != 0 || s.Key == "" {
			continue
		}
		if _, twice := fresh[s.Key]; twice {
			continue
		}
		for _, id := range d.byKey[s.Key] {
			if !here[b.things[id].Handle] {
				fresh[s.Key] = s.Handle
				olds = append(olds, id)
			}
		}
	}
	return fresh, olds
}

// bury takes numbers whose nodes are gone out of the search for replacements: the choice
// was not clear once, and later it would be a guess.
func (b *Book) bury(doc int, ids []int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, id := range ids {
		if t := b.things[id]; t != nil {
			key := t.Key
			b.docs[doc].byKey[key] = slices.DeleteFunc(b.docs[doc].byKey[key], func(o int) bool { return o == id })
		}
	}
}

// EndDocument notes that a document is gone with all its nodes. What its numbers were
// stays known for a while.
func (b *Book) EndDocument(doc int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	d := b.docs[doc]
	if d == nil {
		return
	}
	delete(b.docs, doc)
	for _, id := range d.byHandle {
		b.ended = append(b.ended, id)
	}
	if over := len(b.ended) - keep; over > 0 {
		for _, id := range b.ended[:over] {
			delete(b.things, id)
		}
		b.ended = slices.Clone(b.ended[over:])
	}
}

// Documents lists the documents of a tab that have numbers.
func (b *Book) Documents(tab int) []int {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []int
	for doc, d := range b.docs {
		if d.tab == tab {
			list = append(list, doc)
		}
	}
	return list
}
