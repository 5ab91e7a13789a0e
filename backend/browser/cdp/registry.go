// Package cdp speaks the DevTools protocol and tracks the browser's sessions and frames.
//
// Site isolation gives a cross-site frame its own process and therefore its own protocol session, but rod's Page knows
// only one session. This package attaches to every tab (or those that Options.ContextFilter selects) and every such
// frame with a flattened session, recursively. It pauses each, except filtered tabs, until it is set up. A Page is the
// tree of frames over all its sessions; a Document is the content of a frame.
//
// The package makes no decisions about tabs, annotations or waiting.
package cdp

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"

	rodcdp "github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"
)

// Handler receives the events of a Registry. The reading goroutine calls its methods in the browser's order; they
// must neither block nor wait for a call.
type Handler interface {
	// HandlePageOpened reports a tab that is attached and set up.
	HandlePageOpened(p *Page)
	// HandlePageEvent reports an event of one of the page's sessions, after the registry has updated its own state. p
	// is nil for events of no page, such as a download's.
	HandlePageEvent(p *Page, e Event)
	HandlePageClosed(p *Page)
}

// Registry tracks the pages of one browser connection.
type Registry struct {
	conn      *Conn
	handler   Handler
	log       *slog.Logger
	pageSetUp []proto.Request
	// sessionSetUp is sent to every session, including those of frames.
	sessionSetUp []proto.Request
	only         func(contextID string) bool

	mu sync.Mutex
	// hidden contains the browser contexts of hidden pages, with the channels that receive their sessions.
	hidden     map[string]chan string
	sessions   map[string]*session
	frameCount int
	docs       *Counter
}

// Counter issues document numbers that stay unique when the browser restarts.
type Counter struct {
	mu   sync.Mutex
	last int
}

func (c *Counter) next() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	return c.last
}

const maxPendingEvents = 500

// session is an attached target; frame is the id of its root frame.
type session struct {
	page  *Page
	frame string
}

// Options configures a Registry.
type Options struct {
	Handler         Handler
	DocumentCounter *Counter
	Log             *slog.Logger
	// PageSetUp is sent to every new tab before its page runs, if the tab is paused.
	PageSetUp []proto.Request
	// DocumentStart is a script that runs in our isolated world of new documents before the page's own scripts, ""
	// for none. It may call the function named Binding with a text, which arrives as a Runtime.bindingCalled event.
	DocumentStart, Binding string
	// ContextFilter, when not nil, reports whether tabs of a browser context are tracked, for a browser that others
	// use too. The reading goroutine calls it; it must not block.
	ContextFilter func(contextID string) bool
}

// Open starts a connection over ws and tracks the browser. To end it, close the transport and wait for Conn(), even
// when Open returned an error.
func Open(ctx context.Context, ws rodcdp.WebSocketable, o Options) (*Registry, error) {
	r := &Registry{
		handler: o.Handler, log: o.Log, pageSetUp: o.PageSetUp, only: o.ContextFilter,
		sessions: map[string]*session{}, hidden: map[string]chan string{},
		docs: o.DocumentCounter, sessionSetUp: setUp(o),
	}
	r.mu.Lock()
	r.conn = NewConn(ws, r.event)
	r.mu.Unlock()
	if err := (proto.TargetSetDiscoverTargets{Discover: true}).Call(r.Client(ctx)); err != nil {
		return r, fmt.Errorf("asking for the browser's tabs: %w", err)
	}
	if r.only != nil {
		return r, nil
	}
	if err := autoAttach().Call(r.Client(ctx)); err != nil {
		return r, fmt.Errorf("attaching to the browser's tabs: %w", err)
	}
	return r, nil
}

// Conn returns the connection of the registry.
func (r *Registry) Conn() *Conn { return r.conn }

// Client returns a client that runs rod's typed requests on the browser itself.
func (r *Registry) Client(ctx context.Context) proto.Client { return sessionClient{ctx, r.conn, ""} }

func (r *Registry) event(e Event) {
	r.mu.Lock()
	s := r.sessions[e.SessionID]
	r.mu.Unlock()
	r.attachPrintPreview(e)
	switch e.Method {
	case "Target.targetCreated":
		var c proto.TargetTargetCreated
		if r.only != nil && r.decode(e, &c) && c.TargetInfo.Type == proto.TargetTargetInfoTypePage &&
			r.only(string(c.TargetInfo.BrowserContextID)) {
			r.conn.Post("", "Target.attachToTarget",
				proto.TargetAttachToTarget{TargetID: c.TargetInfo.TargetID, Flatten: true}, nil)
		}
		return
	case "Target.attachedToTarget":
		var a proto.TargetAttachedToTarget
		if r.decode(e, &a) {
			r.attached(s, &a)
		}
		return
	case "Target.detachedFromTarget":
		var d proto.TargetDetachedFromTarget
		if r.decode(e, &d) {
			r.detached(string(d.SessionID))
		}
		return
	}
	if s == nil {
		if p := r.pageOf(e); p != nil || strings.HasPrefix(e.Method, "Browser.") {
			r.handler.HandlePageEvent(p, e)
		}
		return
	}
	if e.Method == "Fetch.requestPaused" {
		r.resume(e)
		return
	}
	r.trackFrames(s, e)
	switch {
	case s.page.ready:
		r.handler.HandlePageEvent(s.page, e)
	case len(s.page.pendingEvents) < maxPendingEvents:
		s.page.pendingEvents = append(s.page.pendingEvents, e)
	}
}

func (r *Registry) pageOf(e Event) *Page {
	var a struct {
		TargetID   string `json:"targetId"`
		FrameID    string `json:"frameId"`
		TargetInfo struct {
			TargetID string `json:"targetId"`
		} `json:"targetInfo"`
	}
	if e.SessionID != "" || json.Unmarshal(e.Params, &a) != nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.sessions {
		p := s.page
		if !p.ready {
			continue
		}
		if id := p.TargetID; id == a.TargetID || id == a.TargetInfo.TargetID {
			return p
		}
		if a.FrameID != "" && p.frames[a.FrameID] != nil {
			return p
		}
	}
	return nil
}

// opener is called under the lock.
func (r *Registry) opener(id proto.TargetTargetID) *Page {
	for _, s := range r.sessions {
		if s.page.TargetID == string(id) && s.page.ready {
			return s.page
		}
	}
	return nil
}

func (r *Registry) decode(e Event, into any) bool {
	if err := json.Unmarshal(e.Params, into); err != nil {
		r.log.Warn("browser event not understood", "method", e.Method, "err", err)
		return false
	}
	return true
}

func (r *Registry) attached(parent *session, a *proto.TargetAttachedToTarget) {
	id, info := string(a.SessionID), a.TargetInfo
	if strings.HasPrefix(info.URL, printPreview) {
		r.dismissPrintPreview(id)
		return
	}
	s := &session{frame: string(info.TargetID)}
	var opener *Page
	r.mu.Lock()
	if got := r.hidden[string(info.BrowserContextID)]; got != nil {
		r.mu.Unlock()
		r.conn.Post(id, "Runtime.runIfWaitingForDebugger", nil, nil)
		select {
		case got <- id:
		default:
		}
		return
	}
	switch {
	case info.Type == proto.TargetTargetInfoTypePage && parent == nil:
		s.page = &Page{
			TargetID: string(info.TargetID), ContextID: string(info.BrowserContextID),
			OpenerID: string(info.OpenerID), SessionID: id,
			reg: r, frames: map[string]*Frame{}, gone: make(chan struct{}),
		}
		s.page.main = s.page.add(s.frame, nil, id)
		opener = r.opener(info.OpenerID)
	case info.Type == "iframe" && parent != nil:
		s.page = parent.page
		s.page.add(s.frame, nil, id)
	}
	if s.page != nil {
		r.sessions[id] = s
	}
	r.mu.Unlock()
	if s.page == nil {
		r.conn.Post(id, "Runtime.runIfWaitingForDebugger", nil, nil)
		r.conn.Post("", "Target.detachFromTarget", proto.TargetDetachFromTarget{SessionID: a.SessionID}, nil)
		return
	}
	if opener != nil {
		// The opener gets the event before the new tab is ready, so that its action can wait for the tab.
		r.handler.HandlePageEvent(opener, Event{Method: "Target.attachedToTarget"})
	}
	for _, req := range r.sessionSetUp {
		r.conn.Post(id, req.ProtoReq(), req, nil)
	}
	if info.Type == proto.TargetTargetInfoTypePage {
		for _, req := range r.pageSetUp {
			r.conn.Post(id, req.ProtoReq(), req, nil)
		}
	} else {
		r.mu.Lock()
		always := s.page.frameRequests
		r.mu.Unlock()
		for _, req := range always {
			r.conn.Post(id, req.ProtoReq(), req, nil)
		}
	}
	r.conn.Post(id, "Page.getFrameTree", nil, func(raw json.RawMessage, err error) { r.tree(s, id, raw, err) })
	r.conn.Post(id, "Runtime.runIfWaitingForDebugger", nil, nil)
}

func (r *Registry) tree(s *session, id string, raw json.RawMessage, err error) {
	var res proto.PageGetFrameTreeResult
	if err == nil {
		err = json.Unmarshal(raw, &res)
	}
	if err != nil || res.FrameTree == nil {
		r.log.Debug("no frame tree", "session", id, "err", err)
		return
	}
	r.mu.Lock()
	r.addTree(s.page, res.FrameTree, id)
	first := !s.page.ready && s.page.SessionID == id
	s.page.ready = s.page.ready || first
	r.mu.Unlock()
	if !first {
		return
	}
	r.handler.HandlePageOpened(s.page)
	for _, e := range s.page.pendingEvents {
		r.handler.HandlePageEvent(s.page, e)
	}
	s.page.pendingEvents = nil
}

// addTree is called under the lock.
func (r *Registry) addTree(p *Page, t *proto.PageFrameTree, session string) {
	f := p.add(string(t.Frame.ID), p.frames[string(t.Frame.ParentID)], session)
	if f.doc.loaderID == "" {
		f.doc.loaderID, f.doc.url = string(t.Frame.LoaderID), address(t.Frame)
	}
	for _, c := range t.ChildFrames {
		r.addTree(p, c, session)
	}
}

func address(f *proto.PageFrame) string { return f.URL + f.URLFragment }

func (r *Registry) detached(id string) {
	r.mu.Lock()
	s := r.sessions[id]
	delete(r.sessions, id)
	if s == nil {
		r.mu.Unlock()
		return
	}
	p := s.page
	if id != p.SessionID {
		if f := p.frames[s.frame]; f != nil && f.session == id {
			p.drop(f)
		}
		r.mu.Unlock()
		return
	}
	for _, f := range p.frames {
		f.doc.end()
	}
	for key, other := range r.sessions {
		if other.page == p {
			delete(r.sessions, key)
		}
	}
	close(p.gone)
	ready := p.ready
	r.mu.Unlock()
	if ready {
		r.handler.HandlePageClosed(p)
	}
}

// newDocument is called under the lock.
func (r *Registry) newDocument(f *Frame, loader, url string) {
	if f.doc != nil {
		f.doc.end()
	}
	f.doc = &Document{
		Seq: r.docs.next(), frame: f, session: f.session, loaderID: loader, url: url,
		gone: make(chan struct{}), making: make(chan struct{}, 1), children: map[int]string{},
	}
}
