package policy

import (
	"fmt"
	"slices"

	"sextant/shared/toolspec"
)

// PanelSource is how the words of a panel are named as a source: its page, its program and its
// script are text from outside, whoever dropped the panel in.
func PanelSource(panel string) string { return "panel:" + panel }

// refuseBeyondPanel refuses a panel's call of a tool that is neither its own nor one that its manifest
// names. A child of such a call is held to the same.
func refuseBeyondPanel(f facts) (Decision, bool) {
	return RefusePanelCall(f.in.Call, f.in.Definition, f.in.PanelTools)
}

// RefusePanelCall reports whether a call is a panel's and its tool beyond what the panel may call, and
// says so: callTools are the tools that the panel's manifest names in permissions.call_tools.
func RefusePanelCall(call toolspec.Call, def toolspec.Definition, callTools []string) (Decision, bool) {
	panel := call.From.Client
	if call.From.Caller == toolspec.CallerApp {
		return refuseAppCall(call, def)
	}
	if call.From.Caller != toolspec.CallerPanel || panel != "" &&
		(panelOwns(panel, def) || slices.Contains(callTools, call.Tool)) {
		return Decision{}, false
	}
	return Decision{
		Verdict: Refuse, ErrorType: toolspec.PermissionError,
		Reason: fmt.Sprintf("the panel %s may call its own tools only, and %s is not one of them", panel, call.Tool),
		Suggestion: fmt.Sprintf("Add %q to permissions.call_tools in the manifest of %s; the person is asked when "+
			"it is used.",
			call.Tool, panel),
	}, true
}

// AppSource is how the words of an MCP server and of its page are named as a source.
func AppSource(server string) string { return "mcp:" + server }

// refuseAppCall refuses what is no tool of the server whose page asks. That the server lets its page call
// the tool is the Catalogue's matter.
func refuseAppCall(call toolspec.Call, def toolspec.Definition) (Decision, bool) {
	if server := call.From.Client; server != "" && def.Origin == toolspec.OriginMCP && def.Owner == server {
		return Decision{}, false
	}
	return Decision{
		Verdict: Refuse, ErrorType: toolspec.PermissionError,
		Reason: fmt.Sprintf("the app of %s may call tools of its own server only, and %s is none", call.From.Client,
			call.Tool),
		Suggestion: "Ask the assistant for it instead.",
	}, true
}

// isOwnAppTool reports whether the page of an MCP server calls a tool of that server: what it says then goes
// to what it came from.
func (f facts) isOwnAppTool() bool {
	from, def := f.in.Call.From, f.in.Definition
	return from.Caller == toolspec.CallerApp && from.Client != "" && def.Origin == toolspec.OriginMCP &&
		def.Owner == from.Client
}

// panelOwns reports whether the tool is one of the panel's own.
func panelOwns(panel string, def toolspec.Definition) bool {
	return def.Origin == toolspec.OriginPanel && def.Owner == panel
}

// isOwnPanelTool reports whether a panel calls one of its own tools: what its page says then goes to
// what it came from.
func (f facts) isOwnPanelTool() bool {
	from := f.in.Call.From
	return from.Caller == toolspec.CallerPanel && from.Client != "" && panelOwns(from.Client, f.in.Definition)
}

// panelDoubts is the doubt about a tool that a panel calls without owning it. A manifest says what
// a panel would like to call; that it may is for the person to say, tool by tool, also where
// the tool only reads: what it reads goes to the panel.
func (f facts) panelDoubts() []doubt {
	from := f.in.Call.From
	if from.Caller != toolspec.CallerPanel || f.isOwnPanelTool() {
		return nil
	}
	return []doubt{{
		reason:      fmt.Sprintf("The panel %s asks for it, and gets what it answers.", from.Client),
		inEveryMode: true,
	}}
}
