// Package webmcp remembers the tools that a page offers by WebMCP and the answers of their calls.
package webmcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/page/network"
	"sextant/backend/surface"
)

// Bounds of what a page may offer.
const (
	maxPageTools   = 100
	maxSchema      = 8 << 10
	maxToolAnswer  = 50 << 10
	PageToolLimit  = 30 * time.Second
	maxInvocations = 20
)

// PageTool is a tool that a page offers by WebMCP (document.modelContext, or a form with the
// attribute toolname). All of it is written by the page.
type PageTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	// Form is true for a form that a call fills in and the person or the caller then sends.
	Form bool `json:"form,omitempty"`
	// ReadOnly is what the page says of it.
	ReadOnly bool `json:"read_only,omitempty"`
	// Origin is that of the document which offers it: the page's own, or that of a frame in it.
	Origin  string `json:"origin"`
	Frame   string `json:"-"`
	Session string `json:"-"`
}

// Tools are the tools of a tab's page and the calls of them. It is guarded by the manager's lock.
type Tools struct {
	list  []PageTool
	calls map[string]chan Response
}

// Response is the browser's report that a page's tool has finished.
type Response struct {
	ID        string          `json:"invocationId"`
	Status    string          `json:"status"`
	Output    json.RawMessage `json:"output"`
	Error     string          `json:"errorText"`
	Exception *struct {
		Description string `json:"description"`
	} `json:"exception"`
}

// Handle takes in what the browser reports of a page's tools.
func (o *Tools) Handle(name string, ev cdp.Event) {
	switch name {
	case "toolsAdded":
		o.added(ev)
	case "toolResponded":
		var r Response
		if json.Unmarshal(ev.Params, &r) != nil {
			return
		}
		if o.calls == nil {
			o.calls = map[string]chan Response{}
		}
		c := o.calls[r.ID]
		if c == nil && len(o.calls) < maxInvocations {
			// The answer may come before the call that asked for it has returned.
			c = make(chan Response, 1)
			o.calls[r.ID] = c
		}
		select {
		case c <- r:
		default:
		}
	}
}

func (o *Tools) added(ev cdp.Event) {
	var e struct {
		Tools []struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			InputSchema json.RawMessage `json:"inputSchema"`
			FrameID     string          `json:"frameId"`
			Node        int             `json:"backendNodeId"`
			Annotations struct {
				ReadOnly   bool `json:"readOnly"`
				AutoSubmit bool `json:"autosubmit"`
			} `json:"annotations"`
		} `json:"tools"`
	}
	if json.Unmarshal(ev.Params, &e) != nil {
		return
	}
	for _, x := range e.Tools {
		if len(o.list) >= maxPageTools || len(x.Name) > 200 {
			return
		}
		p := PageTool{
			Name: x.Name, Description: surface.Clip(x.Description, 1000), Parameters: x.InputSchema,
			ReadOnly: x.Annotations.ReadOnly,
			Form:     x.Node != 0 && !x.Annotations.AutoSubmit, Frame: x.FrameID, Session: ev.SessionID,
		}
		if len(p.Parameters) == 0 || len(p.Parameters) > maxSchema {
			p.Parameters = json.RawMessage(`{"type":"object"}`)
		}
		o.list = append(o.list, p)
	}
}

// Reset forgets the tools; the browser reports them again when it is asked.
func (o *Tools) Reset() { o.list = nil }

// ForgetCalls drops the answers that nobody waited for.
func (o *Tools) ForgetCalls() { o.calls = map[string]chan Response{} }

// ResponseChannel is where the answer to a call arrives.
func (o *Tools) ResponseChannel(id string) chan Response {
	c := o.calls[id]
	if c == nil {
		c = make(chan Response, 1)
		o.calls[id] = c
	}
	return c
}

// ForgetCall forgets a call.
func (o *Tools) ForgetCall(id string) { delete(o.calls, id) }

// OfferedBy are the tools with the origin of who offers them. A frame whose origin is not known, as one
// without an address of its own, offers none.
func (o *Tools) OfferedBy(docs []*cdp.Document) []PageTool {
	origins := map[string]string{}
	for _, doc := range docs {
		origins[doc.Frame()] = network.OriginOf(doc.URL())
	}
	list := make([]PageTool, 0, len(o.list))
	for _, p := range o.list {
		if p.Origin = origins[p.Frame]; p.Origin != "" || len(docs) > 0 && p.Frame == docs[0].Frame() {
			list = append(list, p)
		}
	}
	return list
}

// Text is what a tool said, or why it failed.
func (r Response) Text(p PageTool) (string, error) {
	if r.Status != "Completed" {
		why := r.Error
		if r.Exception != nil {
			why, _, _ = strings.Cut(r.Exception.Description, "\n")
		}
		return "", &surface.Fault{
			Kind: surface.FaultInvalid, Message: fmt.Sprintf("The page's tool %s failed (%s): %s",
				surface.QuoteClean(p.Name, 80), surface.Clip(r.Status, 40), surface.QuoteClean(why, 400)),
			Suggestion: "Check the arguments, or use the page itself.",
		}
	}
	var said struct {
		Content []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
	}
	var parts []string
	if json.Unmarshal(r.Output, &said) == nil {
		for _, c := range said.Content {
			if c.Type == "text" {
				parts = append(parts, c.Text)
			}
		}
	}
	text := strings.Join(parts, "\n")
	if parts == nil && json.Unmarshal(r.Output, &text) != nil {
		text = string(r.Output)
	}
	if len(text) > maxToolAnswer {
		text = surface.Clip(text, maxToolAnswer)
	}
	return text, nil
}
