// Package identity assigns ids to elements, so that callers can name them.
//
// An id identifies one node of one document in one tab, not a position. Ids are never reused. When a page renders
// again, an id moves to a replacement of its node only when the old node was removed, exactly one node has the same
// fingerprint, and that was inserted after the old node was last observed.
//
// A page may also reuse a node for another item, as virtual lists do. A node in another row gets a new id; a row in
// which only digits changed is the same row, because rows contain counters. Elements keep a hash of their text as it
// was reported, so that an action can detect a change.
package identity

import (
	"slices"
	"strings"
	"sync"
)

// maxEnded bounds how many ids are remembered, for error messages, after their documents or nodes have gone.
const maxEnded = 20_000

// Node is one node as the collector found it.
type Node struct {
	Handle          int
	Key, Role, Name string
	// Origin is the origin of the document, "" for an opaque one.
	Origin string
	// Secret is true when the node hides what is typed into it, Submits when pressing it, or Enter in it, sends a form.
	Secret, Submits bool
	// TextHash is a hash of the node's own text, RowHash one of the beginning of its row. Each is followed by "." and
	// a hash of the same text without its digits.
	TextHash, RowHash string
	// Born is when the node was inserted, by the document's clock; 0 when it was there before the collector.
	Born float64
}

// Element is the node that an id identifies.
type Element struct {
	ID, Tab, Doc, Handle int
	Key, Role, Name      string
	// Origin is the origin of the node's document, "" for an opaque one. Secret stays true once the node was seen to
	// hide typed text, even when the page shows the text later.
	Origin          string
	Secret, Submits bool
	// The Reported fields are from when the node was last reported to the caller, the others from when it was last
	// seen.
	TextHash, ReportedTextHash, ReportedName, RowHash, ReportedRowHash string
	// TextWarned is true once the caller was warned that the text has changed, RowWarned the same for the row.
	TextWarned, RowWarned bool

	// lastSeen is when the node was last seen, by its document's clock.
	lastSeen float64
}

// DocumentProbe inspects the document to which ids are assigned. Its methods are called only when a replacement is
// possible.
type DocumentProbe interface {
	// AreConnected reports for each handle whether its node is still in the document.
	AreConnected(handles []int) ([]bool, error)
	// KeyCounts returns how many nodes of the whole document have each fingerprint.
	KeyCounts() (map[string]int, error)
}

// ElementRegistry assigns the ids of the elements of all tabs and panels. Its methods may be called concurrently,
// except Assign for the same document.
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

// Element returns the element with an id, false when the id was never issued or has been forgotten.
func (er *ElementRegistry) Element(id int) (Element, bool) {
	er.mu.Lock()
	defer er.mu.Unlock()
	if t := er.elements[id]; t != nil {
		return *t, true
	}
	return Element{}, false
}

// WasIssued reports whether the id was ever issued.
func (er *ElementRegistry) WasIssued(id int) bool {
	er.mu.Lock()
	defer er.mu.Unlock()
	return id > 0 && id <= er.last
}

// ID returns the id of a node, 0 when it has none.
func (er *ElementRegistry) ID(doc, handle int) int {
	er.mu.Lock()
	defer er.mu.Unlock()
	if d := er.docs[doc]; d != nil {
		return d.byHandle[handle]
	}
	return 0
}

// RecordReported records that the current text of the elements was reported to the caller.
func (er *ElementRegistry) RecordReported(ids []int) {
	er.mu.Lock()
	defer er.mu.Unlock()
	for _, id := range ids {
		if t := er.elements[id]; t != nil {
			t.ReportedTextHash, t.ReportedName = t.TextHash, t.Name
		}
	}
}

// RecordTextWarning records that the caller was warned that the element's text has changed to one with that hash.
func (er *ElementRegistry) RecordTextWarning(id int, hash string) {
	er.mu.Lock()
	defer er.mu.Unlock()
	if t := er.elements[id]; t != nil {
		t.TextHash, t.ReportedTextHash, t.TextWarned = hash, hash, true
	}
}

// RecordRowsReported records that the current rows of the elements were reported to the caller.
func (er *ElementRegistry) RecordRowsReported(ids []int) {
	er.mu.Lock()
	defer er.mu.Unlock()
	for _, id := range ids {
		if t := er.elements[id]; t != nil {
			t.ReportedRowHash = t.RowHash
		}
	}
}

// RecordRowWarning records that the caller was warned that the element's row has changed to one with that hash.
func (er *ElementRegistry) RecordRowWarning(id int, hash string) {
	er.mu.Lock()
	defer er.mu.Unlock()
	if t := er.elements[id]; t != nil {
		t.RowHash, t.ReportedRowHash, t.RowWarned = hash, hash, true
	}
}

// sameWords reports whether two row hashes are of rows that differ at most in their digits.
func sameWords(a, b string) bool {
	_, x, _ := strings.Cut(a, ".")
	_, y, _ := strings.Cut(b, ".")
	return x == y
}

// Assign returns the id of every node in seen, in order. now is the document's clock. rebound lists the ids that
// moved to a replacement. All errors come from ask.
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
					ID: id, Tab: tab, Doc: doc, Handle: s.Handle, ReportedTextHash: s.TextHash,
					ReportedName: s.Name,
				}
			}
			d.byHandle[s.Handle] = id
		}
		t := er.elements[id]
		t.Role, t.Name, t.Origin, t.Secret = s.Role, s.Name, s.Origin, t.Secret || s.Secret
		t.Submits = s.Submits
		t.TextHash, t.RowHash, t.lastSeen = s.TextHash, s.RowHash, now
		if t.ReportedRowHash == "" || s.RowHash == "" || !sameWords(t.ReportedRowHash, s.RowHash) {
			t.ReportedRowHash = s.RowHash
		}
		d.rekey(er.elements[id], s.Key)
		ids[i] = id
	}
	return ids, rebound, nil
}

func (er *ElementRegistry) splitReused(doc int, seen []Node) {
	er.mu.Lock()
	defer er.mu.Unlock()
	d := er.docs[doc]
	if d == nil {
		return
	}
	for _, s := range seen {
		if t := er.elements[d.byHandle[s.Handle]]; t != nil && t.RowHash != "" && !sameWords(t.RowHash, s.RowHash) {
			delete(d.byHandle, s.Handle)
			d.unkey(t)
			t.Handle = 0
			er.ended = append(er.ended, t.ID)
		}
	}
	er.trim()
}

// unkey excludes t from the search for replacements.
func (d *document) unkey(t *Element) {
	d.byKey[t.Key] = slices.DeleteFunc(d.byKey[t.Key], func(id int) bool { return id == t.ID })
}

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

func (er *ElementRegistry) findReplacements(doc int, seen []Node, ask DocumentProbe) (map[int]int, error) {
	newNodes, oldIDs := er.candidates(doc, seen)
	if len(newNodes) == 0 {
		return nil, nil
	}
	er.mu.Lock()
	handles := make([]int, len(oldIDs))
	for i, id := range oldIDs {
		handles[i] = er.elements[id].Handle
	}
	er.mu.Unlock()
	connected, err := ask.AreConnected(handles)
	if err != nil {
		return nil, err
	}
	gone := map[string][]int{}
	er.mu.Lock()
	for i, id := range oldIDs {
		if i < len(connected) && !connected[i] {
			key := er.elements[id].Key
			gone[key] = append(gone[key], id)
		}
	}
	er.mu.Unlock()
	if len(gone) == 0 {
		return nil, nil
	}
	live, err := ask.KeyCounts()
	if err != nil {
		return nil, err
	}
	moves := map[int]int{}
	for key, ids := range gone {
		if len(ids) == 1 && live[key] == 1 && newNodes[key].Born > er.lastSeen(ids[0]) {
			moves[newNodes[key].Handle] = ids[0]
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
	newNodes := map[string]Node{}
	var oldIDs []int
	for _, s := range seen {
		if d.byHandle[s.Handle] != 0 || s.Key == "" {
			continue
		}
		if _, twice := newNodes[s.Key]; twice {
			continue
		}
		for _, id := range d.byKey[s.Key] {
			if !here[er.elements[id].Handle] {
				newNodes[s.Key] = s
				oldIDs = append(oldIDs, id)
			}
		}
	}
	return newNodes, oldIDs
}

// dropCandidates excludes ids from the search: no replacement was certain, and a later choice would be a guess.
func (er *ElementRegistry) dropCandidates(doc int, ids []int) {
	er.mu.Lock()
	defer er.mu.Unlock()
	for _, id := range ids {
		if t := er.elements[id]; t != nil {
			er.docs[doc].unkey(t)
		}
	}
}

// EndDocument records that a document was closed with all its nodes. Its elements are remembered for a while.
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

// trim is called under the lock.
func (er *ElementRegistry) trim() {
	if over := len(er.ended) - maxEnded; over > 0 {
		for _, id := range er.ended[:over] {
			delete(er.elements, id)
		}
		er.ended = slices.Clone(er.ended[over:])
	}
}

// Documents returns the numbers of a tab's documents that have not ended and whose nodes have ids.
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
