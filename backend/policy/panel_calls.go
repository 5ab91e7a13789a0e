package policy

import (
	"fmt"
	"slices"

	"sextant/shared/toolspec"
)

// PanelSource returns the source name of outside text from a panel: from its page, program or script.
func PanelSource(panel string) string { return "panel:" + panel }

// refuseBeyondPanel also applies to calls made within a panel's call.
func refuseBeyondPanel(f facts) (Decision, bool) {
	return RefusePanelCall(f.in.Call, f.in.Definition, f.in.PanelTools)
}

// RefusePanelCall refuses a panel's or an app's call of a tool that it may not call, and reports whether it did.
// callTools are the tools in permissions.call_tools of the panel's manifest.
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
		Verdict: VerdictRefuse, ErrorType: toolspec.PermissionError,
		Reason: fmt.Sprintf("the panel %s may only call its own tools, and %s is not one of them", panel, call.Tool),
		Suggestion: fmt.Sprintf("Add %q to permissions.call_tools in the manifest of %s; the person is asked when "+
			"it is used.",
			call.Tool, panel),
	}, true
}

// AppSource returns the source name of outside text from an MCP server or its app.
func AppSource(server string) string { return "mcp:" + server }

// The catalog checks whether the server lets its app call the tool.
func refuseAppCall(call toolspec.Call, def toolspec.Definition) (Decision, bool) {
	if server := call.From.Client; server != "" && def.Origin == toolspec.OriginMCP && def.Owner == server {
		return Decision{}, false
	}
	return Decision{
		Verdict: VerdictRefuse, ErrorType: toolspec.PermissionError,
		Reason: fmt.Sprintf("the app of %s may only call tools of its own server, and %s is not one of them",
			call.From.Client, call.Tool),
		Suggestion: "Ask the assistant for it instead.",
	}, true
}

func (f facts) isOwnAppTool() bool {
	from, def := f.in.Call.From, f.in.Definition
	return from.Caller == toolspec.CallerApp && from.Client != "" && def.Origin == toolspec.OriginMCP &&
		def.Owner == from.Client
}

func panelOwns(panel string, def toolspec.Definition) bool {
	return def.Origin == toolspec.OriginPanel && def.Owner == panel
}

func (f facts) isOwnPanelTool() bool {
	from := f.in.Call.From
	return from.Caller == toolspec.CallerPanel && from.Client != "" && panelOwns(from.Client, f.in.Definition)
}

// The manifest only requests the tools of others. The person allows each one, since the panel gets the result.
func (f facts) panelReasons() []askReason {
	from := f.in.Call.From
	if from.Caller != toolspec.CallerPanel || f.isOwnPanelTool() {
		return nil
	}
	return []askReason{{
		text:        fmt.Sprintf("The panel %s asks for it, and gets the result.", from.Client),
		inEveryMode: true,
	}}
}
