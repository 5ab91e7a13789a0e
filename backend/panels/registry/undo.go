package registry

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"time"

	"sextant/backend/panels/manifest"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// UndoStore stores how calls are undone; *sqlite.Store is one.
type UndoStore interface {
	AddPanelUndo(ctx context.Context, u wire.PanelUndo) error
	// ChangePanelUndoState changes the state of a call's undo if it is from, and reports whether it did.
	ChangePanelUndoState(ctx context.Context, call string, from, to wire.UndoState, why string) (moved bool, err error)
	PanelUndos(ctx context.Context, conversation, owner, turn, call string) ([]wire.PanelUndo, error)
}

// undoTime is how long a panel may take to undo a call.
const undoTime = 30 * time.Second

// noteUndo stores how a successful call is undone, and reports whether it can be. The answer's member
// undo fills the endpoint's names and becomes the body of the request; "undo": false means that there
// is nothing to undo.
func (r *Registry) noteUndo(ctx context.Context, o *callable, call toolspec.Call, args map[string]json.RawMessage,
	result toolspec.Result,
	output func(stream, text string),
) bool {
	if o.UndoPath == "" || r.cfg.Undos == nil || !result.Success || call.ID == "" {
		return false
	}
	given, answered := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	if text, err := json.Marshal(result.Value); err == nil {
		_ = json.Unmarshal(text, &answered) // an answer that is not an object has no members
	}
	says := bytes.TrimSpace(answered["undo"])
	if string(says) == "false" || string(says) == "null" {
		return false
	}
	_ = json.Unmarshal(says, &given) // likewise
	all := map[string]json.RawMessage{}
	for _, values := range []map[string]json.RawMessage{args, answered, given} {
		for name, value := range values {
			all[name] = value
		}
	}
	sent, err := prepareUndo(o.BoundTool, all, given)
	if err == nil {
		conversation, turn := call.From.Place()
		err = r.cfg.Undos.AddPanelUndo(context.WithoutCancel(ctx), wire.PanelUndo{
			Call: call.ID, Turn: turn, Conversation: conversation, Owner: call.From.Owner(), Panel: o.Def.Owner,
			Tool: o.Name,
			Did:  cmp.Or(result.Sentence, o.Name), Method: sent.method, Path: sent.path, Body: string(sent.body),
			State: wire.UndoReady, Time: r.cfg.now(),
		})
	}
	if err != nil {
		output("progress", "This call cannot be undone: "+err.Error()+"\n")
		return false
	}
	return true
}

var inBraces = regexp.MustCompile(`\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// prepareUndo is the request that undoes a call.
func prepareUndo(t manifest.BoundTool, all, given map[string]json.RawMessage) (endpointCall, error) {
	undo := manifest.BoundTool{Tool: manifest.Tool{Endpoint: t.Undo}, Method: t.UndoMethod, Path: t.UndoPath}
	args := map[string]json.RawMessage{}
	for name, value := range given {
		if t.UndoMethod != "DELETE" { // which has no body
			args[name] = value
		}
	}
	for _, match := range inBraces.FindAllStringSubmatch(t.UndoPath, -1) {
		undo.PathParams = append(undo.PathParams, match[1])
		args[match[1]] = all[match[1]]
	}
	return newEndpointCall(undo, args)
}

// Undoable are the calls that panels can undo or have undone, selected as by UndoStore.PanelUndos.
func (r *Registry) Undoable(ctx context.Context, conversation, owner, turn, call string) ([]wire.PanelUndo, error) {
	if r.cfg.Undos == nil {
		return nil, nil
	}
	return r.cfg.Undos.PanelUndos(ctx, conversation, owner, turn, call)
}

// UndoCall lets the panel of a call undo it. The Result is its answer, or why it could not be asked. A
// refused undo can be tried again; none is done twice.
func (r *Registry) UndoCall(ctx context.Context, u wire.PanelUndo) toolspec.Result {
	o := r.state.Load().tools[u.Tool]
	switch {
	case u.State == wire.UndoDone:
		return toolspec.Fail(toolspec.UserError, "it was undone already", "")
	case o == nil || o.Def.Owner != u.Panel:
		return toolspec.Fail(toolspec.UserError, fmt.Sprintf("the %s panel, which could undo it, was removed",
			u.Panel), "Restore its folder, then undo again.")
	case o.UndoMethod != u.Method:
		return toolspec.Fail(toolspec.UserError, fmt.Sprintf("the %s panel has changed and undoes %s differently now",
			o.title, u.Tool), "Correct it in the panel.")
	case o.runner != nil && r.mayNotStart(o):
		return toolspec.Fail(toolspec.PermissionError,
			fmt.Sprintf("the %s panel's program is not running and has not been approved yet", o.title),
			"Call one of the panel's tools first, which asks for approval. Then undo again.")
	}
	claimed, err := r.cfg.Undos.ChangePanelUndoState(ctx, u.Call, u.State, wire.UndoDone, "")
	if err != nil || !claimed {
		return toolspec.Fail(toolspec.SystemError, "it is being undone already, or its state could not be stored",
			"Check the panel's state, then undo again.")
	}
	ctx, cancel := context.WithTimeout(ctx, undoTime)
	defer cancel()
	sent := endpointCall{method: u.Method, path: u.Path}
	if u.Body != "" {
		sent.body = []byte(u.Body)
	}
	result := r.sendUntilRemoved(ctx, o, sent, func(string, string) {})
	if !result.Success {
		// A refused undo can be tried again.
		_, err := r.cfg.Undos.ChangePanelUndoState(context.WithoutCancel(ctx), u.Call, wire.UndoDone, wire.UndoConflict,
			result.Error)
		if err != nil {
			r.log.Warn("storing a refused undo", "call", u.Call, "err", err)
		}
	}
	return result
}

func (r *Registry) mayNotStart(o *callable) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.needsApproval(o.runner)
}
