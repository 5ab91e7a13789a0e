// Package webmcp tracks the tools that a page offers through WebMCP and the results of their calls.
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

// Limits: tools of a page, bytes of a tool's schema, characters of a result, time of a call, results that wait for a
// receiver.
const (
	maxPageTools   = 100
	maxSchema      = 8 << 10
	maxToolAnswer  = 50 << 10
	CallTimeout    = 30 * time.Second
	maxInvocations = 20
)

// PageTool is a tool that a page offers through WebMCP (document.modelContext, or a form with the attribute
// toolname). The page writes all of its texts.
type PageTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	// FillsForm is true for a form that a call only fills in; the person or the caller submits it.
	FillsForm bool `json:"form,omitempty"`
	// ReadOnly is true when the page claims that the tool changes nothing.
	ReadOnly  bool   `json:"read_only,omitempty"`
	Origin    string `json:"origin"`
	FrameID   string `json:"-"`
	SessionID string `json:"-"`
}

// Tools contains the tools of a tab's page and their running calls. It is guarded by the lock of page.Manager.
type Tools struct {
	list  []PageTool
	calls map[string]chan Response
}

// Response is the browser's report that a call of a page's tool has ended.
type Response struct {
	ID        string          `json:"invocationId"`
	Status    string          `json:"status"`
	Output    json.RawMessage `json:"output"`
	Error     string          `json:"errorText"`
	Exception *struct {
		Description string `json:"description"`
	} `json:"exception"`
}

// Handle processes a WebMCP event of the browser.
func (t *Tools) Handle(name string, ev cdp.Event) {
	switch name {
	case "toolsAdded":
		t.added(ev)
	case "toolResponded":
		var r Response
		if json.Unmarshal(ev.Params, &r) != nil {
			return
		}
		if t.calls == nil {
			t.calls = map[string]chan Response{}
		}
		c := t.calls[r.ID]
		if c == nil && len(t.calls) < maxInvocations {
			// The response may arrive before the call that asked for it has returned.
			c = make(chan Response, 1)
			t.calls[r.ID] = c
		}
		select {
		case c <- r:
		default:
		}
	}
}

func (t *Tools) added(ev cdp.Event) {
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
		if len(t.list) >= maxPageTools || len(x.Name) > 200 {
			return
		}
		p := PageTool{
			Name: x.Name, Description: surface.Truncate(x.Description, 1000), Parameters: x.InputSchema,
			ReadOnly:  x.Annotations.ReadOnly,
			FillsForm: x.Node != 0 && !x.Annotations.AutoSubmit, FrameID: x.FrameID, SessionID: ev.SessionID,
		}
		if len(p.Parameters) == 0 || len(p.Parameters) > maxSchema {
			p.Parameters = json.RawMessage(`{"type":"object"}`)
		}
		t.list = append(t.list, p)
	}
}

// Reset forgets the tools. The browser reports them again after WebMCP.enable.
func (t *Tools) Reset() { t.list = nil }

// ForgetCalls drops all calls and their responses.
func (t *Tools) ForgetCalls() { t.calls = map[string]chan Response{} }

// ResponseChannel returns the channel on which the response to a call arrives. ForgetCalls must have been called
// before.
func (t *Tools) ResponseChannel(id string) chan Response {
	c := t.calls[id]
	if c == nil {
		c = make(chan Response, 1)
		t.calls[id] = c
	}
	return c
}

// ForgetCall drops a call and its response.
func (t *Tools) ForgetCall(id string) { delete(t.calls, id) }

// OfferedBy returns the tools that the documents offer, with their origins. It leaves out tools of other documents,
// and of frames whose address has no origin.
func (t *Tools) OfferedBy(docs []*cdp.Document) []PageTool {
	origins := map[string]string{}
	for _, doc := range docs {
		origins[doc.FrameID()] = network.OriginOf(doc.URL())
	}
	list := make([]PageTool, 0, len(t.list))
	for _, p := range t.list {
		if p.Origin = origins[p.FrameID]; p.Origin != "" || len(docs) > 0 && p.FrameID == docs[0].FrameID() {
			list = append(list, p)
		}
	}
	return list
}

// Text returns the tool's result as text, or the reason why it failed as an error.
func (r Response) Text(p PageTool) (string, error) {
	if r.Status != "Completed" {
		why := r.Error
		if r.Exception != nil {
			why, _, _ = strings.Cut(r.Exception.Description, "\n")
		}
		return "", &surface.Fault{
			Kind: surface.FaultInvalid, Message: fmt.Sprintf("The page's tool %s failed (%s): %s",
				surface.QuoteText(p.Name, 80), surface.Truncate(r.Status, 40), surface.QuoteText(why, 400)),
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
		text = surface.Truncate(text, maxToolAnswer)
	}
	return text, nil
}
