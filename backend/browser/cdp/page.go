package cdp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/go-rod/rod/lib/proto"
)

// Page is one tab of the browser: a session of its own and the tree of its frames, those
// in other processes too. Its methods may be called concurrently.
type Page struct {
	// TargetID, ContextID and OpenerID name the tab, its browser context and the tab that
	// opened it ("" for none). They never change.
	TargetID  string
	ContextID string
	OpenerID  string
	// Session is the tab's own session.
	Session string

	reg    *Registry
	frames map[string]*Frame
	main   *Frame
	ready  bool
	gone   chan struct{}
	// frameRequests is sent to the session of every frame in another process.
	frameRequests []proto.Request
	// pendingEvents are the events before the page was ready; only the reading goroutine uses them.
	pendingEvents []Event
}

// Frame is one place for documents in a page.
type Frame struct {
	// ID is the browser's name for the frame; it stays through navigations.
	ID string

	page    *Page
	parent  *Frame
	order   int
	session string
	mainCtx int
	doc     *Document
}

// Client runs rod's typed requests on the page's own session.
func (p *Page) Client(ctx context.Context) proto.Client {
	return sessionClient{ctx, p.reg.conn, p.Session}
}

// ClientOf runs rod's typed requests on a session that an event came from.
func (p *Page) ClientOf(ctx context.Context, session string) proto.Client {
	return sessionClient{ctx, p.reg.conn, session}
}

// Post sends a call on a session without waiting for its answer.
func (p *Page) Post(session string, req proto.Request) {
	p.reg.conn.Post(session, req.ProtoReq(), req, nil)
}

// Gone is closed when the tab is closed.
func (p *Page) Gone() <-chan struct{} { return p.gone }

// MainDocument is the main frame's current document.
func (p *Page) MainDocument() *Document {
	p.reg.mu.Lock()
	defer p.reg.mu.Unlock()
	return p.main.doc
}

// MainFrame is the id of the main frame.
func (p *Page) MainFrame() string {
	p.reg.mu.Lock()
	defer p.reg.mu.Unlock()
	return p.main.ID
}

// Documents lists the current documents, the main one first, then in the order frames came.
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

// DocumentInWorld is the current document with that isolated world in the session; nil when there
// is none, or its world was not used yet.
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

// Current returns the current document of the frame of d, which is d itself until it is replaced;
// nil when the frame was removed.
func (p *Page) Current(d *Document) *Document {
	p.reg.mu.Lock()
	defer p.reg.mu.Unlock()
	if f := p.frames[d.frame.ID]; f != nil {
		return f.doc
	}
	return nil
}

// add adds a frame to the tree, or returns the existing one. Called under reg.mu.
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

// drop removes a frame and its descendants from the tree. Called under reg.mu.
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

// Send sends calls on the page's own session one right after the other and waits until all are
// answered; the error is that of the first one that failed, or the end of ctx or of the tab.
func (p *Page) Send(ctx context.Context, reqs ...proto.Request) error {
	got := make(chan error, len(reqs))
	for _, r := range reqs {
		p.reg.conn.Post(p.Session, r.ProtoReq(), r, func(_ json.RawMessage, err error) {
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

// Ask sends a call on the page's own session and passes a successful answer to reply, which
// runs on the reading goroutine and must not block.
func (p *Page) Ask(req proto.Request, reply func(json.RawMessage)) {
	p.reg.conn.Post(p.Session, req.ProtoReq(), req, func(raw json.RawMessage, err error) {
		if err == nil {
			reply(raw)
		}
	})
}

// SetFrameRequests sends the requests to the sessions of the page's frames in other processes, and to those
// that come, before their documents may run. The page's own session is for the caller.
func (p *Page) SetFrameRequests(list []proto.Request) {
	p.reg.mu.Lock()
	p.frameRequests = list
	var ids []string
	for id, s := range p.reg.sessions {
		if s.page == p && id != p.Session {
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
