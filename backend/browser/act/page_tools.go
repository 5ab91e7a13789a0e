package act

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/observe"
	"sextant/backend/browser/page"
	"sextant/backend/browser/page/network"
	"sextant/backend/browser/page/webmcp"
	"sextant/backend/surface"
	"sextant/shared/annotation"
)

// PageTools returns the tools that the active tab's page and its frames offer. The error is a *surface.Fault when
// the browser does not support page tools.
func PageTools(ctx context.Context, s *page.Session) ([]webmcp.PageTool, error) {
	var list []webmcp.PageTool
	err := s.Read(ctx, func(ctx context.Context, docs []*cdp.Document) error {
		s.Manager.Lock()
		t := s.Active
		s.Manager.Unlock()
		if t == nil {
			return page.ErrTabClosed
		}
		var err error
		list, err = offeredTools(ctx, t, docs)
		return err
	})
	return list, err
}

// offeredTools asks the browser again, because earlier reports may belong to previous pages.
func offeredTools(ctx context.Context, t *page.Tab, docs []*cdp.Document) ([]webmcp.PageTool, error) {
	t.WithLock(t.PageTools.Reset)
	var asked []string
	for _, doc := range docs {
		if slices.Contains(asked, doc.SessionID()) {
			continue
		}
		asked = append(asked, doc.SessionID())
		bounded, cancel := context.WithTimeout(ctx, observe.FrameTimeout)
		c := doc.Client(bounded)
		_, err := c.Call(bounded, "", "WebMCP.disable", nil)
		if err == nil {
			_, err = c.Call(bounded, "", "WebMCP.enable", nil)
		}
		if err == nil {
			// The browser reports the tools after its answer, but before the answer to this next call.
			_, err = doc.Call(bounded, "() => 0")
		}
		cancel()
		if err != nil && strings.Contains(err.Error(), "wasn't found") {
			return nil, &surface.Fault{
				Kind:       surface.FaultInvalid,
				Message:    "This browser knows no page tools (WebMCP).",
				Suggestion: "Use the page itself; Chromium 146 and newer know them.",
			}
		}
		if err != nil && doc == docs[0] {
			return nil, err
		}
	}
	var list []webmcp.PageTool
	t.WithLock(func() { list = t.PageTools.OfferedBy(docs) })
	return list, nil
}

// PageToolOrigin returns the origin of the document that offers the tool name. It returns origin in lower case when
// that is not "". Otherwise, it returns the only origin that offered the tool when tools were last listed, or else
// the page's own.
func PageToolOrigin(s *page.Session, name, origin string) string {
	s.Manager.Lock()
	var p *cdp.Page
	t := s.Active
	if t != nil {
		p = t.Page
	}
	s.Manager.Unlock()
	if origin != "" || p == nil {
		return strings.ToLower(origin)
	}
	main, others := network.OriginOf(p.MainDocument().URL()), []string{}
	docs := p.Documents()
	var list []webmcp.PageTool
	t.WithLock(func() { list = t.PageTools.OfferedBy(docs) })
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

// CallPageTool calls a tool of the document with that origin (see PageToolOrigin). The input is a JSON object, {}
// when empty. The observation describes the effects; output is the tool's result as text.
func CallPageTool(ctx context.Context, s *page.Session, name, origin string,
	input json.RawMessage,
) (ans annotation.Observation, output string, err error) {
	t, err := s.ActiveTab(ctx)
	if err != nil {
		return annotation.Observation{}, "", err
	}
	if len(input) == 0 {
		input = json.RawMessage("{}")
	}
	ans, err = s.Act(ctx, t, func(ctx context.Context, a *page.Action) error {
		list, err := offeredTools(ctx, t, a.Page.Documents())
		if err != nil {
			return err
		}
		i := slices.IndexFunc(list, func(p webmcp.PageTool) bool { return p.Name == name && p.Origin == origin })
		if i < 0 {
			return &surface.Fault{
				Kind: surface.FaultNotFound, Message: fmt.Sprintf("%s offers no tool %q on this page.",
					surface.Truncate(origin, 200), surface.Truncate(name, 80)),
				Suggestion: `Call page_tools with {"action":"list"}, and send the origin that it names for a tool.`,
			}
		}
		output, err = invokeTool(ctx, a, list[i], input)
		return err
	})
	return ans, output, err
}

var errSlowTool = errors.New("the page's tool took too long")

func invokeTool(ctx context.Context, a *page.Action, p webmcp.PageTool, input json.RawMessage) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, webmcp.CallTimeout, errSlowTool)
	defer cancel()
	c := a.Page.ClientOf(ctx, p.SessionID)
	a.SetOutcome("called the page's tool %q", surface.Truncate(p.Name, 80))
	// Only one action runs at a time, so the remaining answers have no receiver.
	a.Tab.WithLock(a.Tab.PageTools.ForgetCalls)
	raw, err := c.Call(ctx, "", "WebMCP.invokeTool",
		map[string]any{"frameId": p.FrameID, "toolName": p.Name, "input": input})
	if err != nil {
		return "", &surface.Fault{Kind: surface.FaultInvalid, Message: "The page's tool was not called: " +
			surface.Truncate(err.Error(), 200), Suggestion: "Check the arguments against its parameters."}
	}
	started, err := cdp.Decode[webmcp.Response](raw)
	if err != nil {
		return "", err
	}
	if p.FillsForm {
		a.Outcome = fmt.Sprintf("filled in the form of the page's tool %q", surface.Truncate(p.Name, 80))
		a.Note = "The form is not sent: press its button."
		return "", nil
	}
	var answered chan webmcp.Response
	a.Tab.WithLock(func() { answered = a.Tab.PageTools.ResponseChannel(started.ID) })
	defer a.Tab.WithLock(func() { a.Tab.PageTools.ForgetCall(started.ID) })
	select {
	case r := <-answered:
		return r.Text(p)
	case <-ctx.Done():
		if errors.Is(context.Cause(ctx), errSlowTool) {
			return "", &surface.Fault{
				Kind: surface.FaultTimeout,
				Message: fmt.Sprintf("The page's tool %q did not answer within %s.", surface.Truncate(p.Name, 80),
					webmcp.CallTimeout), Suggestion: "Call annotate_page to see what it did.",
			}
		}
		return "", context.Cause(ctx)
	}
}
