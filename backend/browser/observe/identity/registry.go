// Package identity assigns annotations their ids.
//
// An id is an identity, not a position: it names one node of one document in one tab, comes from
// one counter for the whole browser and is never reused. A page that rerenders replaces nodes by
// others that look the same. An id moves to such a replacement only when the old node was removed
// and exactly one connected node has its fingerprint. That node must have been inserted after the
// old node was last observed; one that existed beside it is a twin, not a replacement.
//
// A page may also reuse a node for another item, as virtual lists do. A node in another row gets a
// new id; a row in which only digits changed is the same row, because rows have counters. The text
// of a node is remembered as it was reported, so that an action can detect that it has changed.
// In every other case the old id stays dead and the node gets a new one: nothing is guessed.
//
// The package is bookkeeping only. Which nodes are connected it asks of its caller.
package identity

import (
	"slices"
	"strings"
	"sync"
)

// maxEnded bounds how many numbers of ended documents are remembered, so that an error can
// still say what a number was.
const maxEnded = 20_000

// Node is one node as the collector found it.
type Node struct {
	Handle          int
	Key, Role, Name string
	// Origin is that of the document, "" when it has none of its own.
	Origin string
	// Secret: what is typed into it is hidden.
	Secret bool
	// Sign is a word for what the node itself says, Row for what its row begins with; behind a
	// point each has a word for the same without its figures.
	Sign, Row string
	// Born is when the node came into the document, by the document's clock; 0 for before we
	// looked.
	Born float64
}

// Element is the node that a number names.
type Element struct {
	ID, Tab, Doc, Handle int
	Key, Role, Name      string
	// Origin is that of its document, "" for none. Secret stays true once the node was seen to
	// hide what is typed into it: a page that then shows it makes it no less of a secret.
	Origin string
	Secret bool
	// Sign is a digest of what the node said when it was last seen, ReportedSign when the number's owner was last
	// given it, ReportedName its name then; Row is what its row begins with, ReportedRow the same when its
	// owner was given it.
	Sign, ReportedSign, ReportedName, Row, ReportedRow string
	// SignWarned is true once its owner was warned that it says something else by now, RowWarned that
	// its row does.
	SignWarned, RowWarned bool

	// lastSeen is when it was seen last, by its document's clock.
	lastSeen float64
}

// DocumentProbe asks the document to which ids are assigned. Its methods are only called when a
// replacement is possible.
type DocumentProbe interface {
	// Connected reports for each handle whether its node is still in the document.
	Connected(handles []int) ([]bool, error)
	// Keys counts the living nodes of the whole document by fingerprint.
	Keys() (map[string]int, error)
}

// ElementRegistry holds the ids of all elements of a browser. Its methods may be called concurrently,
// except Assign for one document.
type ElementRegistry struct {
	mu       sync.Mutex
	last     int
	elements map[int]*Element
	docs     map[int]*document
	ended    []int
}

type document struct {
	tab      int
	byHandle map[int]int
	byKey    map[string][]int
}

// NewElementRegistry returns an empty registry.
func NewElementRegistry() *ElementRegistry {
	return &ElementRegistry{elements: map[int]*Element{}, docs: map[int]*document{}}
}

// Element returns the element with an id; false when the id was never issued or is forgotten.
func (er *ElementRegistry) Element(id int) (Element, bool) {
	er.mu.Lock()
	defer er.mu.Unlock()
	if t := er.elements[id]; t != nil {
		return *t, true
	}
	return Element{}, false
}

// Issued reports whether the id was ever issued.
func (er *ElementRegistry) Issued(id int) bool {
	er.mu.Lock()
	defer er.mu.Unlock()
	return id > 0 && id <= er.last
}

// ID is the id of a node, 0 when it has none.
func (er *ElementRegistry) ID(doc, handle int) int {
	er.mu.Lock()
	defer er.mu.Unlock()
	if d := er.docs[doc]; d != nil {
		return d.byHandle[handle]
	}
	return 0
}

// MarkReported notes that the caller was shown the current text of the elements.
func (er *ElementRegistry) MarkReported(ids []int) {
	er.mu.Lock()
	defer er.mu.Unlock()
	for _, id := range ids {
		if t := er.elements[id]; t != nil {
			t.ReportedSign, t.ReportedName = t.Sign, t.Name
		}
	}
}

// MarkWarned notes that the owner of a number is being warned that its node says something else.
func (er *ElementRegistry) MarkWarned(id int, sign string) {
	er.mu.Lock()
	defer er.mu.Unlock()
	if t := er.elements[id]; t != nil {
		t.Sign, t.ReportedSign, t.SignWarned = sign, sign, true
	}
}

// MarkRowsReported notes that the owner of the numbers was shown their rows as they are now.
func (er *ElementRegistry) MarkRowsReported(ids []int) {
	er.mu.Lock()
	defer er.mu.Unlock()
	for _, id := range ids {
		if t := er.elements[id]; t != nil {
			t.ReportedRow = t.Row
		}
	}
}

// MarkRowWarned notes that the owner of a number is being warned that its row shows other digits.
func (er *ElementRegistry) MarkRowWarned(id int, row string) {
	er.mu.Lock()
	defer er.mu.Unlock()
	if t := er.elements[id]; t != nil {
		t.Row, t.ReportedRow, t.RowWarned = row, row, true
	}
}

// sameWords reports whether two rows say the same but for their figures; Row holds a word for that
// behind a point.
func sameWords(a, b string) bool {
	_, x, _ := strings.Cut(a, ".")
	_, y, _ := strings.Cut(b, ".")
	return x == y
}

// Assign gives every node in seen its number, in order; now is the document's clock. rebound
// lists the numbers that moved to a replacement. An error comes from ask.
func (er *ElementRegistry) Assign(tab, doc int, now float64, seen []Node, ask DocumentProbe) (ids, rebound []int,
	err error,
) {
	er.splitReused(doc, seen)
	moves, err := er.findReplacements(doc, seen, ask)
	if err != nil {
		return nil, nil, err
	}
	er.mu.Lock()
	defer er.mu.Unlock()
	d := er.docs[doc]
	if d == nil {
		d = &document{tab: tab, byHandle: map[int]int{}, byKey: map[string][]int{}}
		er.docs[doc] = d
	}
	ids = make([]int, len(seen))
	for i, s := range seen {
		id := d.byHandle[s.Handle]
		if id == 0 {
			if id = moves[s.Handle]; id != 0 {
				delete(d.byHandle, er.elements[id].Handle)
				er.elements[id].Handle = s.Handle
				rebound = append(rebound, id)
			} else {
				er.last++
				id = er.last
				er.elements[id] = &Element{
					ID: id, Tab: tab, Doc: doc, Handle: s.Handle, ReportedSign: s.Sign,
					ReportedName: s.Name,
				}
			}
			d.byHandle[s.Handle] = id
		}
		t := er.elements[id]
		t.Role, t.Name, t.Origin, t.Secret = s.Role, s.Name, s.Origin, t.Secret || s.Secret
		t.Sign, t.Row, t.lastSeen = s.Sign, s.Row, now
		if t.ReportedRow == "" || s.Row == "" || !sameWords(t.ReportedRow, s.Row) {
			t.ReportedRow = s.Row
		}
		d.rekey(er.elements[id], s.Key)
		ids[i] = id
	}
	return ids, rebound, nil
}

// splitReused takes the numbers from nodes that the page used again in another row.
func (er *ElementRegistry) splitReused(doc int, seen []Node) {
	er.mu.Lock()
	defer er.mu.Unlock()
	d := er.docs[doc]
	if d == nil {
		return
	}
	for _, s := range seen {
		if t := er.elements[d.byHandle[s.Handle]]; t != nil && t.Row != "" && !sameWords(t.Row, s.Row) {
			delete(d.byHandle, s.Handle)
			d.unkey(t)
			t.Handle = 0
			er.ended = append(er.ended, t.ID)
		}
	}
	er.trim()
}

// unkey takes t out of the search for replacements.
func (d *document) unkey(t *Element) {
	d.byKey[t.Key] = slices.DeleteFunc(d.byKey[t.Key], func(id int) bool { return id == t.ID })
}

// rekey notes that t now has the fingerprint key.
func (d *document) rekey(t *Element, key string) {
	if t.Key == key {
		return
	}
	if t.Key != "" {
		d.unkey(t)
	}
	t.Key = key
	d.byKey[key] = append(d.byKey[key], t.ID)
}

// findReplacements finds which new nodes replace which numbers: new handle → number.
func (er *ElementRegistry) findReplacements(doc int, seen []Node, ask DocumentProbe) (map[int]int, error) {
	fresh, olds := er.candidates(doc, seen)
	if len(fresh) == 0 {
		return nil, nil
	}
	er.mu.Lock()
	handles := make([]int, len(olds))
	for i, id := range olds {
		handles[i] = er.elements[id].Handle
	}
	er.mu.Unlock()
	connected, err := ask.Connected(handles)
	if err != nil {
		return nil, err
	}
	gone := map[string][]int{}
	er.mu.Lock()
	for i, id := range olds {
		if i < len(connected) && !connected[i] {
			key := er.elements[id].Key
			gone[key] = append(gone[key], id)
		}
	}
	er.mu.Unlock()
	if len(gone) == 0 {
		return nil, nil
	}
	live, err := ask.Keys()
	if err != nil {
		return nil, err
	}
	moves := map[int]int{}
	for key, ids := range gone {
		if len(ids) == 1 && live[key] == 1 && fresh[key].Born > er.lastSeen(ids[0]) {
			moves[fresh[key].Handle] = ids[0]
		} else {
			er.dropCandidates(doc, ids)
		}
	}
	return moves, nil
}

func (er *ElementRegistry) lastSeen(id int) float64 {
	er.mu.Lock()
	defer er.mu.Unlock()
	return er.elements[id].lastSeen
}

// candidates are the fingerprints that one new node and some unseen number share: the new
// node by fingerprint, and those numbers.
func (er *ElementRegistry) candidates(doc int, seen []Node) (map[string]Node, []int) {
	er.mu.Lock()
	defer er.mu.Unlock()
	d := er.docs[doc]
	if d == nil {
		return nil, nil
	}
	here := make(map[int]bool, len(seen))
	for _, s := range seen {
		here[s.Handle] = true
	}
	fresh := map[string]Node{}
	var olds []int
	for _, s := range seen {
		if d.byHandle[s.Handle] != 0 || s.Key == "" {
			continue
		}
		if _, twice := fresh[s.Key]; twice {
			continue
		}
		for _, id := range d.byKey[s.Key] {
			if !here[er.elements[id].Handle] {
				fresh[s.Key] = s
				olds = append(olds, id)
			}
		}
	}
	return fresh, olds
}

// dropCandidates removes ids of removed nodes from the search for replacements: the choice
// was not clear once, and later it would be a guess.
func (er *ElementRegistry) dropCandidates(doc int, ids []int) {
	er.mu.Lock()
	defer er.mu.Unlock()
	for _, id := range ids {
		if t := er.elements[id]; t != nil {
			er.docs[doc].unkey(t)
		}
	}
}

// EndDocument notes that a document is gone with all its nodes. What its numbers were
// stays known for a while.
func (er *ElementRegistry) EndDocument(doc int) {
	er.mu.Lock()
	defer er.mu.Unlock()
	d := er.docs[doc]
	if d == nil {
		return
	}
	delete(er.docs, doc)
	for _, id := range d.byHandle {
		er.ended = append(er.ended, id)
	}
	er.trim()
}

// trim forgets the oldest of the ended numbers. Called under the lock.
func (er *ElementRegistry) trim() {
	if over := len(er.ended) - maxEnded; over > 0 {
		for _, id := range er.ended[:over] {
			delete(er.elements, id)
		}
		er.ended = slices.Clone(er.ended[over:])
	}
}

// Documents lists the documents of a tab that have numbers.
func (er *ElementRegistry) Documents(tab int) []int {
	er.mu.Lock()
	defer er.mu.Unlock()
	var list []int
	for doc, d := range er.docs {
		if d.tab == tab {
			list = append(list, doc)
		}
	}
	return list
}
