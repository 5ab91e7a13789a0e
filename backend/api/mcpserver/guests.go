package mcpserver

import (
	"cmp"
	"crypto/rand"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// record is what a client did. Its methods may be called concurrently.
type record struct {
	mu     sync.Mutex
	client string
	calls  int
	last   time.Time
}

// noteRequest notes a client's request.
func (d *door) heard(req sdk.Request) {
	d.record.mu.Lock()
	defer d.record.mu.Unlock()
	d.record.last = time.Now()
	if o, ok := req.(outer); ok {
		if name := d.client(o.ClientInfo()); name != "" {
			d.record.client = name
		}
	}
	if _, ok := req.(*sdk.CallToolRequest); ok {
		d.record.calls++
	}
}

// The transports of clients.
const (
	overHTTP  = "http"
	overStdio = "stdio"
)

// Visitor is a connected client, as the person sees it.
type Visitor struct {
	// ID identifies it for Disconnect, and says nothing else.
	ID string
	// Client is the name it sent, "" before that. It is text from outside.
	Client string
	// Via is http, or stdio for one that joined with `sextant mcp`.
	Via string
	// Since is when it connected, Last when its latest request came; Calls counts its tool calls.
	Since, Last time.Time
	Calls       int
	// Session names its browser tabs, "" for the window's.
	Session string
	Panel   string
}

// visitor is a connected client and how to disconnect it.
type visitor struct {
	Visitor
	door *door
	end  func()
}

// arrives adds a client and returns its id; the caller holds the lock.
func (h *Host) arrives(via string, g Guest, d *door, session string, end func()) string {
	now := time.Now()
	v := &visitor{
		Visitor: Visitor{
			ID: strings.ToLower(rand.Text()), Client: g.Client, Via: via, Since: now, Last: now, Session: session,
			Panel: g.Panel,
		},
		door: d, end: end,
	}
	h.visitors[v.ID] = v
	return v.ID
}

func (h *Host) leaves(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.visitors, id)
}

// Visitors are the connected clients, the newest first.
func (h *Host) Visitors() []Visitor {
	h.mu.Lock()
	all := make([]*visitor, 0, len(h.visitors))
	for _, v := range h.visitors {
		all = append(all, v)
	}
	h.mu.Unlock()
	list := make([]Visitor, 0, len(all))
	for _, v := range all {
		now := v.Visitor
		r := &v.door.record
		r.mu.Lock()
		now.Calls = r.calls
		now.Client = cmp.Or(r.client, now.Client)
		if r.last.After(now.Last) {
			now.Last = r.last
		}
		r.mu.Unlock()
		list = append(list, now)
	}
	slices.SortFunc(list,
		func(a, b Visitor) int { return cmp.Or(b.Since.Compare(a.Since), strings.Compare(a.ID, b.ID)) })
	return list
}

// Dismiss disconnects a client and waits for the end of its work; it reports false if there is no such client.
// The client may connect again: whoever has the token may.
func (h *Host) Dismiss(id string) bool {
	h.mu.Lock()
	v := h.visitors[id]
	h.mu.Unlock()
	if v == nil {
		return false
	}
	v.end()
	return true
}
