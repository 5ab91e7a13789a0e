package cdp

import (
	"encoding/json"

	"github.com/go-rod/rod/lib/proto"
)

func (r *Registry) trackFrames(s *session, e Event) {
	switch e.Method {
	case "Page.frameAttached":
		var a proto.PageFrameAttached
		if r.decode(e, &a) {
			r.mu.Lock()
			s.page.add(string(a.FrameID), s.page.frames[string(a.ParentFrameID)], e.SessionID)
			r.mu.Unlock()
		}
	case "Page.frameNavigated":
		var n proto.PageFrameNavigated
		if r.decode(e, &n) {
			r.mu.Lock()
			r.navigated(s.page, n.Frame, e.SessionID)
			r.mu.Unlock()
		}
	case "Page.navigatedWithinDocument":
		var n proto.PageNavigatedWithinDocument
		if r.decode(e, &n) {
			r.mu.Lock()
			if f := s.page.frames[string(n.FrameID)]; f != nil {
				f.doc.url = n.URL
			}
			r.mu.Unlock()
		}
	case "Page.frameDetached":
		var d proto.PageFrameDetached
		if r.decode(e, &d) && d.Reason != proto.PageFrameDetachedReasonSwap {
			r.mu.Lock()
			if f := s.page.frames[string(d.FrameID)]; f != nil && f != s.page.main {
				s.page.drop(f)
			}
			r.mu.Unlock()
		}
	case "Runtime.executionContextCreated", "Runtime.executionContextsCleared",
		"Runtime.executionContextDestroyed":
		r.trackContexts(s, e)
	}
}

// navigated is called under the lock.
func (r *Registry) navigated(p *Page, f *proto.PageFrame, session string) {
	id := string(f.ID)
	if f.ParentID == "" && session == p.SessionID && id != p.main.ID {
		// Another frame became the tab's main frame, as when a prerendered page is shown.
		old := p.main
		p.main = p.add(id, nil, session)
		p.drop(old)
	}
	frame := p.add(id, p.frames[string(f.ParentID)], session)
	if frame.doc.loaderID == string(f.LoaderID) {
		frame.doc.url = address(f)
		return
	}
	p.dropChildren(frame)
	r.newDocument(frame, string(f.LoaderID), address(f))
}

func (r *Registry) trackContexts(s *session, e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch e.Method {
	case "Runtime.executionContextsCleared":
		for _, f := range s.page.frames {
			if f.session == e.SessionID {
				f.mainCtx = 0
			}
		}
	case "Runtime.executionContextDestroyed":
		var d proto.RuntimeExecutionContextDestroyed
		if !r.decode(e, &d) {
			return
		}
		for _, f := range s.page.frames {
			if f.session == e.SessionID && f.mainCtx == int(d.ExecutionContextID) {
				f.mainCtx = 0
			}
		}
	case "Runtime.executionContextCreated":
		var c struct {
			Context struct {
				ID      int `json:"id"`
				AuxData struct {
					IsDefault bool   `json:"isDefault"`
					FrameID   string `json:"frameId"`
				} `json:"auxData"`
			} `json:"context"`
		}
		if json.Unmarshal(e.Params, &c) != nil || !c.Context.AuxData.IsDefault {
			return
		}
		if f := s.page.frames[c.Context.AuxData.FrameID]; f != nil && f.session == e.SessionID {
			f.mainCtx = c.Context.ID
		}
	}
}
