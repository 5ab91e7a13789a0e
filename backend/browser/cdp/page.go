package cdp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/go-rod/rod/lib/proto"
)

// Page is one tab of the browser: its own session and the tree of its frames, including those in other processes. Its
// methods may be called concurrently.
type Page struct {
	// TargetID, ContextID and OpenerID identify the tab, its browser context and the tab that opened it ("" for
	// none). They never change.
	TargetID  string
	ContextID string
	OpenerID  string
	SessionID string

	reg    *Registry
	frames map[string]*Frame
	main   *Frame
	ready  bool
	gone   chan struct{}
	// frameRequests is sent to the session of every frame in another process.
	frameRequests []proto.Request
	// pendingEvents arrived before the page was ready. Only the reading goroutine uses them.
	pendingEvents []Event
}

// Frame is a frame of a page, which shows one document at a time.
type Frame struct {
	// ID is the browser's id of the frame; it stays the same when the frame navigates.
	ID string

	page    *Page
	parent  *Frame
	order   int
	session string
	mainCtx int
	doc     *Document
}

// Client returns a client that runs rod's typed requests on the page's own session.
func (p *Page) Client(ctx context.Context) proto.Client {
	return sessionClient{ctx, p.reg.conn, p.SessionID}
}

// ClientOf returns a client that runs rod's typed requests on that session.
func (p *Page) ClientOf(ctx context.Context, session string) proto.Client {
	return sessionClient{ctx, p.reg.conn, session}
}

// Post sends a call on a session without waiting for its answer.
func (p *Page) Post(session string, req proto.Request) {
	p.reg.conn.Post(session, req.ProtoReq(), req, nil)
}

// Done returns a channel that is closed when the tab is closed.
func (p *Page) Done() <-chan struct{} { return p.gone }

// MainDocument returns the main frame's current document.
func (p *Page) MainDocument() *Document {
	p.reg.mu.Lock()
	defer p.reg.mu.Unlock()
	return p.main.doc
}

// MainFrameID returns the id of the main frame.
func (p *Page) MainFrameID() string {
	p.reg.mu.Lock()
	defer p.reg.mu.Unlock()
	return p.main.ID
}

// Documents returns the current documents: the main one first, the others in the order in which their frames
// appeared.
func (p *Page) Documents() []*Document {
	p.reg.mu.Lock()
	defer p.reg.mu.Unlock()
	list := make([]*Frame, 0, len(p.frames))
	for _, f := range p.frames {
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b *Frame) int { return cmp.Compare(a.order, b.order) })
	docs := make([]*Document, 0, len(list))
	if p.main != nil {
		docs = append(docs, p.main.doc)
	}
	for _, f := range list {
		if f != p.main {
			docs = append(docs, f.doc)
		}
	}
	return docs
}

// DocumentInWorld returns the current document with that isolated world in the session, nil when there is none or its
// world has not been created.
func (p *Page) DocumentInWorld(session string, world int) *Document {
	p.reg.mu.Lock()
	defer p.reg.mu.Unlock()
	for _, f := range p.frames {
		if d := f.doc; d != nil && d.session == session && d.world != 0 && int(d.world) == world {
			return d
		}
	}
	return nil
}

// CurrentDocument returns the document that is now in the frame of d, which is d itself until another replaces it. It
// returns nil when the frame was removed.
func (p *Page) CurrentDocument(d *Document) *Document {
	p.reg.mu.Lock()
	defer p.reg.mu.Unlock()
	if f := p.frames[d.frame.ID]; f != nil {
		return f.doc
	}
	return nil
}

// add returns the existing frame if there is one. Called under reg.mu.
func (p *Page) add(id string, parent *Frame, session string) *Frame {
	f := p.frames[id]
	if f == nil {
		p.reg.frameCount++
		f = &Frame{ID: id, page: p, order: p.reg.frameCount}
		p.frames[id] = f
		f.parent, f.session = parent, session
		p.reg.newDocument(f, "", "")
		return f
	}
	if parent != nil {
		f.parent = parent
	}
	if f.session != session {
		f.session, f.mainCtx = session, 0
		p.reg.newDocument(f, "", f.doc.url)
	}
	return f
}

// drop is called under reg.mu.
func (p *Page) drop(f *Frame) {
	p.dropChildren(f)
	f.doc.end()
	delete(p.frames, f.ID)
}

func (p *Page) dropChildren(f *Frame) {
	for _, c := range p.frames {
		if c.parent == f && c != f {
			p.drop(c)
		}
	}
}

// Send sends calls on the page's own session and waits for all answers. The error is that of the first call that
// failed, the cause of ctx's end, or ErrReplaced when the tab was closed.
func (p *Page) Send(ctx context.Context, reqs ...proto.Request) error {
	got := make(chan error, len(reqs))
	for _, r := range reqs {
		p.reg.conn.Post(p.SessionID, r.ProtoReq(), r, func(_ json.RawMessage, err error) {
			if err != nil {
				err = fmt.Errorf("%s: %w", r.ProtoReq(), err)
			}
			got <- err
		})
	}
	var first error
	for range reqs {
		select {
		case err := <-got:
			if first == nil {
				first = err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-p.gone:
			return ErrReplaced
		}
	}
	return first
}

// Ask sends a call on the page's own session and passes a successful answer to reply, which runs on the reading
// goroutine and must not block.
func (p *Page) Ask(req proto.Request, reply func(json.RawMessage)) {
	p.reg.conn.Post(p.SessionID, req.ProtoReq(), req, func(raw json.RawMessage, err error) {
		if err == nil {
			reply(raw)
		}
	})
}

// SetFrameRequests sends requests to the sessions of the page's frames in other processes, and to those of later
// frames before their documents run. The caller sends them to the page's own session.
func (p *Page) SetFrameRequests(list []proto.Request) {
	p.reg.mu.Lock()
	p.frameRequests = list
	var ids []string
	for id, s := range p.reg.sessions {
		if s.page == p && id != p.SessionID {
			ids = append(ids, id)
		}
	}
	p.reg.mu.Unlock()
	for _, id := range ids {
		for _, req := range list {
			p.Post(id, req)
		}
	}
}
