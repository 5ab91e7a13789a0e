package cdp

import (
	"bytes"
	"strings"

	"github.com/go-rod/rod/lib/proto"
)

func autoAttach() proto.TargetSetAutoAttach {
	return proto.TargetSetAutoAttach{
		AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: true,
		Filter: proto.TargetTargetFilter{
			// Chromium pauses new workers even if we do not attach to them, and nothing could then resume them. So
			// each is attached, resumed and detached.
			{Type: "page"}, {Type: "iframe"}, {Type: "worker"}, {Exclude: true},
		},
	}
}

// Limits of the bodies that the browser keeps, in bytes: all responses of a session, one response, one request.
const (
	maxBodyBytes    = 8 << 20
	maxOneBodyBytes = 1 << 20
	maxPostBytes    = 64 << 10
)

func setUp(o Options) []proto.Request {
	total, one, post := maxBodyBytes, maxOneBodyBytes, maxPostBytes
	list := []proto.Request{
		proto.PageEnable{},
		proto.PageSetLifecycleEventsEnabled{Enabled: true},
		proto.RuntimeEnable{},
		proto.NetworkEnable{MaxTotalBufferSize: &total, MaxResourceBufferSize: &one, MaxPostDataSize: &post},
		// Requests for documents are paused and resumed at once: this makes the browser report a site that asks for a
		// user name instead of asking the person.
		proto.FetchEnable{
			HandleAuthRequests: true,
			Patterns:           []*proto.FetchRequestPattern{{ResourceType: proto.NetworkResourceTypeDocument}},
		},
		proto.LogEnable{},
		proto.EmulationSetFocusEmulationEnabled{Enabled: true},
		proto.InspectorEnable{},
	}
	if o.DocumentStart != "" {
		list = append(list,
			proto.RuntimeAddBinding{Name: o.Binding, ExecutionContextName: worldName},
			proto.PageAddScriptToEvaluateOnNewDocument{Source: o.DocumentStart, WorldName: worldName})
	}
	return append(list, autoAttach())
}

func (r *Registry) resume(e Event) {
	var p struct {
		RequestID string `json:"requestId"`
	}
	if r.decode(e, &p) {
		r.conn.Post(e.SessionID, "Fetch.continueRequest",
			proto.FetchContinueRequest{RequestID: proto.FetchRequestID(p.RequestID)}, nil)
	}
}

// printPreview is the address of the print dialog of a browser with a window.
const printPreview = "chrome://print/"

// attachPrintPreview attaches to a print dialog, a page that auto-attach leaves out.
func (r *Registry) attachPrintPreview(e Event) {
	if e.Method != "Target.targetCreated" && e.Method != "Target.targetInfoChanged" ||
		!bytes.Contains(e.Params, []byte(printPreview)) {
		return
	}
	var c proto.TargetTargetCreated
	if !r.decode(e, &c) || c.TargetInfo == nil || c.TargetInfo.Attached ||
		!strings.HasPrefix(c.TargetInfo.URL, printPreview) {
		return
	}
	if r.only == nil || r.only(string(c.TargetInfo.BrowserContextID)) {
		r.conn.Post("", "Target.attachToTarget",
			proto.TargetAttachToTarget{TargetID: c.TargetInfo.TargetID, Flatten: true}, nil)
	}
}

// dismissPrintPreview ends the print dialog, which blocks the page's scripts. The dialog ignores keys and requests to
// close, so its process, which contains nothing else, is crashed.
func (r *Registry) dismissPrintPreview(session string) {
	r.conn.Post(session, "Runtime.runIfWaitingForDebugger", nil, nil)
	r.conn.Post(session, "Page.crash", nil, nil)
}
