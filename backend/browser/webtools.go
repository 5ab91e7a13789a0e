package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sextant/backend/browser/cdp"
	"sextant/backend/surface"

	"sextant/shared/annotator"
)

// Bounds of what a page may offer.
const (
	maxPageTools   = 100
	maxSchema      = 8 << 10
	maxToolAnswer  = 50 << 10
	pageToolLimit  = 30 * time.Second
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
	session string
}

// pageTools are the tools of a tab's page and the calls of them. It is guarded by Browser.mu.
type pageTools struct {
	list  []PageTool
	calls map[string]chan toolResponse
}

type toolResponse struct {
	ID        string          `json:"invocationId"`
	Status    string          `json:"status"`
	Output    json.RawMessage `json:"output"`
	Error     string          `json:"errorText"`
	Exception *struct {
		Description string `json:"description"`
	} `json:"exception"`
}

// handle takes in what the browser reports of a page's tools.
func (o *pageTools) handle(name string, ev cdp.Event) {
	switch name {
	case "toolsAdded":
		o.added(ev)
	case "toolResponded":
		var r toolResponse
		if json.Unmarshal(ev.Params, &r) != nil {
			return
		}
		if o.calls == nil {
			o.calls = map[string]chan toolResponse{}
		}
		c := o.calls[r.ID]
		if c == nil && len(o.calls) < maxInvocations {
			// The answer may come before the call that asked for it has returned.
			c = make(chan toolResponse, 1)
			o.calls[r.ID] = c
		}
		select {
		case c <- r:
		default:
		}
	}
}

func (o *pageTools) added(ev cdp.Event) {
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
			Name: x.Name, Description: surface.Clip(x.Description, 1000), Parameters: x.InputSchema, ReadOnly: x.Annotations.ReadOnly,
			Form: x.Node != 0 && !x.Annotations.AutoSubmit, Frame: x.FrameID, session: ev.SessionID,
		}
		if len(p.Parameters) == 0 || len(p.Parameters) > maxSchema {
			p.Parameters = json.RawMessage(`{"type":"object"}`)
		}
		o.list = append(o.list, p)
	}
}

// reset forgets the tools; the browser reports them again when it is asked.
func (o *pageTools) reset() { o.list = nil }

// forgetCalls drops the answers that nobody waited for.
func (o *pageTools) forgetCalls() { o.calls = map[string]chan toolResponse{} }

// answer is where the answer to a call arrives.
func (o *pageTools) answer(id string) chan toolResponse {
	c := o.calls[id]
	if c == nil {
		c = make(chan toolResponse, 1)
		o.calls[id] = c
	}
	return c
}

// done forgets a call.
func (o *pageTools) done(id string) { delete(o.calls, id) }

// PageTools lists what the active tab's page offers. The error is a *Fault when the browser
// knows no such tools.
func (s *Session) PageTools(ctx context.Context) ([]PageTool, error) {
	var list []PageTool
	err := s.read(ctx, func(ctx context.Context, docs []*cdp.Document) error {
		s.b.Lock()
		t := s.active
		s.b.Unlock()
		if t == nil {
			return errTabClosed
		}
		var err error
		list, err = t.offered(ctx, docs)
		return err
	})
	return list, err
}

// offered asks anew what the documents offer: what was told before may belong to pages that were
// left.
func (t *tab) offered(ctx context.Context, docs []*cdp.Document) ([]PageTool, error) {
	t.set(t.offers.reset)
	var asked []string
	for _, doc := range docs {
		if slices.Contains(asked, doc.Session()) {
			continue
		}
		asked = append(asked, doc.Session())
		bounded, cancel := context.WithTimeout(ctx, frameTimeout)
		c := doc.Client(bounded)
		_, err := c.Call(bounded, "", "WebMCP.disable", nil)
		if err == nil {
			_, err = c.Call(bounded, "", "WebMCP.enable", nil)
		}
		if err == nil {
			// What is offered is told after the answer; whatever is asked next comes behind it.
			_, err = doc.Call(bounded, "() => 0")
		}
		cancel()
		if err != nil && strings.Contains(err.Error(), "wasn't found") {
			return nil, &surface.Fault{Kind: surface.FaultInvalid, Message: "This browser knows no page tools (WebMCP).", Suggestion: "Use the page itself; Chromium 146 and newer know them."}
		}
		if err != nil && doc == docs[0] {
			return nil, err
		}
	}
	var list []PageTool
	t.set(func() { list = t.offers.of(docs) })
	return list, nil
}

// of are the tools with the origin of who offers them. A frame whose origin is not known, as one
// without an address of its own, offers none.
func (o *pageTools) of(docs []*cdp.Document) []PageTool {
	origins := map[string]string{}
	for _, doc := range docs {
		origins[doc.Frame()] = originOf(doc.URL())
	}
	list := make([]PageTool, 0, len(o.list))
	for _, p := range o.list {
		if p.Origin = origins[p.Frame]; p.Origin != "" || len(docs) > 0 && p.Frame == docs[0].Frame() {
			list = append(list, p)
		}
	}
	return list
}

// PageToolOf is the origin of the document that offers the tool name, by what was listed last and
// without asking: of several the page's own, else the one that only offers it. It is the page's own
// when nobody is known to offer it, and origin itself when that is not "".
func (s *Session) PageToolOrigin(name, origin string) string {
	s.b.Lock()
	var p *cdp.Page
	t := s.active
	if t != nil {
		p = t.page
	}
	s.b.Unlock()
	if origin != "" || p == nil {
		return strings.ToLower(origin)
	}
	main, others := originOf(p.Main().URL()), []string{}
	docs := p.Documents()
	var list []PageTool
	t.set(func() { list = t.offers.of(docs) })
	for _, o := range list {
		if o.Name == name && !slices.Contains(others, o.Origin) {
			others = append(others, o.Origin)
		}
	}
	if len(others) == 1 {
		return others[0]
	}
	return main
}

// CallPageTool calls a tool that the page's document of an origin offers, as PageToolOf names it,
// with a JSON object as input, and answers like any action; output is what the tool said, as text.
func (s *Session) CallPageTool(ctx context.Context, name, origin string, input json.RawMessage) (ans annotator.Answer, output string, err error) {
	t, err := s.current(ctx)
	if err != nil {
		return annotator.Answer{}, "", err
	}
	if len(input) == 0 {
		input = json.RawMessage("{}")
	}
	ans, err = s.act(ctx, t, func(ctx context.Context, a *action) error {
		list, err := t.offered(ctx, a.page.Documents())
		if err != nil {
			return err
		}
		i := slices.IndexFunc(list, func(p PageTool) bool { return p.Name == name && p.Origin == origin })
		if i < 0 {
			return &surface.Fault{
				Kind: surface.FaultNotFound, Message: fmt.Sprintf("%s offers no tool %q on this page.", surface.Clip(origin, 200), surface.Clip(name, 80)),
				Suggestion: `Call page_tools with {"action":"list"}, and send the origin that it names for a tool.`,
			}
		}
		output, err = a.invoke(ctx, list[i], input)
		return err
	})
	return ans, output, err
}

var errSlowTool = errors.New("the page's tool took too long")

// invoke calls a page's tool and waits for what it says. A form is only filled in.
func (a *action) invoke(ctx context.Context, p PageTool, input json.RawMessage) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, pageToolLimit, errSlowTool)
	defer cancel()
	c := a.page.ClientOf(ctx, p.session)
	a.does("called the page's tool %q", surface.Clip(p.Name, 80))
	// One action at a time: what is left there are answers that nobody waited for.
	a.t.set(a.t.offers.forgetCalls)
	raw, err := c.Call(ctx, "", "WebMCP.invokeTool", map[string]any{"frameId": p.Frame, "toolName": p.Name, "input": input})
	if err != nil {
		return "", &surface.Fault{Kind: surface.FaultInvalid, Message: "The page's tool was not called: " + surface.Clip(err.Error(), 200), Suggestion: "Check the arguments against its parameters."}
	}
	started, err := cdp.Decode[toolResponse](raw)
	if err != nil {
		return "", err
	}
	if p.Form {
		a.outcome = fmt.Sprintf("filled in the form of the page's tool %q", surface.Clip(p.Name, 80))
		a.note = "The form is not sent: press its button."
		return "", nil
	}
	var answered chan toolResponse
	a.t.set(func() { answered = a.t.offers.answer(started.ID) })
	defer a.t.set(func() { a.t.offers.done(started.ID) })
	select {
	case r := <-answered:
		return r.text(p)
	case <-ctx.Done():
		if errors.Is(context.Cause(ctx), errSlowTool) {
			return "", &surface.Fault{Kind: surface.FaultTimeout, Message: fmt.Sprintf("The page's tool %q did not answer within %s.", surface.Clip(p.Name, 80), pageToolLimit), Suggestion: "Call annotate_page to see what it did."}
		}
		return "", context.Cause(ctx)
	}
}

// text is what a tool said, or why it failed.
func (r toolResponse) text(p PageTool) (string, error) {
	if r.Status != "Completed" {
		why := r.Error
		if r.Exception != nil {
			why, _, _ = strings.Cut(r.Exception.Description, "\n")
		}
		return "", &surface.Fault{
			Kind: surface.FaultInvalid, Message: fmt.Sprintf("The page's tool %s failed (%s): %s", surface.QuoteClean(p.Name, 80), surface.Clip(r.Status, 40), surface.QuoteClean(why, 400)),
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
