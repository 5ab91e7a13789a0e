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

// UndoStore stores how calls are undone. *sqlite.Store implements it.
type UndoStore interface {
	AddPanelUndo(ctx context.Context, u wire.PanelUndo) error
	// ChangePanelUndoState changes the state of a call's undo from the state from to the state to. changed is false if
	// the state was a different one.
	ChangePanelUndoState(
		ctx context.Context, call string, from, to wire.UndoState, why string,
	) (changed bool, err error)
	PanelUndos(ctx context.Context, conversation, owner, turn, call string) ([]wire.PanelUndo, error)
}

const undoTime = 30 * time.Second

// If the answer's "undo" is false or null, there is nothing to undo; otherwise it is the body of the request.
func (r *Registry) noteUndo(ctx context.Context, o *callable, call toolspec.Call, args map[string]json.RawMessage,
	result toolspec.Result,
	output func(stream, text string),
) bool {
	if o.UndoPath == "" || r.cfg.Undos == nil || !result.Success || call.ID == "" {
		return false
	}
	undoArgs, answered := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	if text, err := json.Marshal(result.Value); err == nil {
		_ = json.Unmarshal(text, &answered) // an answer that is not an object has no members
	}
	says := bytes.TrimSpace(answered["undo"])
	if string(says) == "false" || string(says) == "null" {
		return false
	}
	_ = json.Unmarshal(says, &undoArgs) // an "undo" that is not an object has no members
	all := map[string]json.RawMessage{}
	for _, values := range []map[string]json.RawMessage{args, answered, undoArgs} {
		for name, value := range values {
			all[name] = value
		}
	}
	sent, err := prepareUndo(o.BoundTool, all, undoArgs)
	if err == nil {
		conversation, turn := call.From.ShownIn()
		err = r.cfg.Undos.AddPanelUndo(context.WithoutCancel(ctx), wire.PanelUndo{
			Call: call.ID, Turn: turn, Conversation: conversation, Owner: call.From.Owner(), Panel: o.Def.Owner,
			Tool:     o.Name,
			Sentence: cmp.Or(result.Sentence, o.Name), Method: sent.method, Path: sent.path, Body: string(sent.body),
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

func prepareUndo(t manifest.BoundTool, all, undoArgs map[string]json.RawMessage) (endpointCall, error) {
	undo := manifest.BoundTool{Tool: manifest.Tool{Endpoint: t.Undo}, Method: t.UndoMethod, Path: t.UndoPath}
	args := map[string]json.RawMessage{}
	for name, value := range undoArgs {
		if t.UndoMethod != "DELETE" { // DELETE has no body
			args[name] = value
		}
	}
	for _, match := range inBraces.FindAllStringSubmatch(t.UndoPath, -1) {
		undo.PathParams = append(undo.PathParams, match[1])
		args[match[1]] = all[match[1]]
	}
	return newEndpointCall(undo, args)
}

// PanelUndos returns the calls that panels can undo or have undone. The parameters select calls as in
// UndoStore.PanelUndos.
func (r *Registry) PanelUndos(ctx context.Context, conversation, owner, turn, call string) ([]wire.PanelUndo, error) {
	if r.cfg.Undos == nil {
		return nil, nil
	}
	return r.cfg.Undos.PanelUndos(ctx, conversation, owner, turn, call)
}

// UndoCall asks the panel of a call to undo it, for up to 30 seconds. The Result is the panel's answer, or says why the
// panel was not asked. No call is undone twice, but a failed undo can be tried again.
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
		// A failed undo can be tried again.
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
