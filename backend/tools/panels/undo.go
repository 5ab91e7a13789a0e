package panels

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"time"

	"sextant/backend/tools/panels/manifest"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// Undos keeps how calls are taken back; *store.Store is one.
type Undos interface {
	AddPanelUndo(ctx context.Context, u wire.PanelUndo) error
	// MovePanelUndo changes the state of a call's undo when it is from; moved says that it was.
	MovePanelUndo(ctx context.Context, call string, from, to wire.UndoState, why string) (moved bool, err error)
	PanelUndos(ctx context.Context, conversation, owner, turn, call string) ([]wire.PanelUndo, error)
}

// undoTime is how long a panel may take to take a call back.
const undoTime = 30 * time.Second

// noteUndo keeps how a call that succeeded is taken back, and reports whether it can be. An answer
// may have a member undo with what the panel wants to have again: it fills the endpoint's names
// and is the body of the request. With "undo": false there is nothing to take back.
func (r *Registry) noteUndo(ctx context.Context, o *offer, call toolspec.Call, args map[string]json.RawMessage, result toolspec.Result,
	output func(stream, text string),
) bool {
	if o.UndoPath == "" || r.cfg.Undos == nil || !result.Success || call.ID == "" {
		return false
	}
	given, answered := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	if text, err := json.Marshal(result.Value); err == nil {
		_ = json.Unmarshal(text, &answered) // an answer that is no object gives nothing
	}
	says := bytes.TrimSpace(answered["undo"])
	if string(says) == "false" || string(says) == "null" {
		return false
	}
	_ = json.Unmarshal(says, &given) // the same
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
			Call: call.ID, Turn: turn, Conversation: conversation, Owner: call.From.Owner(), Panel: o.Def.Owner, Tool: o.Name,
			Did: cmp.Or(result.Sentence, o.Name), Method: sent.method, Path: sent.path, Body: string(sent.body), State: wire.UndoReady, Time: r.cfg.now(),
		})
	}
	if err != nil {
		output("progress", "It cannot be undone: "+err.Error()+"\n")
		return false
	}
	return true
}

var inBraces = regexp.MustCompile(`\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// prepareUndo is the request that takes a call back.
func prepareUndo(t manifest.BoundTool, all, given map[string]json.RawMessage) (outgoing, error) {
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
	return prepare(undo, args)
}

// Undoable are the calls that panels can take back, or took back: Undos.PanelUndos says which.
func (r *Registry) Undoable(ctx context.Context, conversation, owner, turn, call string) ([]wire.PanelUndo, error) {
	if r.cfg.Undos == nil {
		return nil, nil
	}
	return r.cfg.Undos.PanelUndos(ctx, conversation, owner, turn, call)
}

// TakeBack lets the panel of a call take it back. What it answers, or why it could not be asked,
// is the Result; a refused undo can be tried again, one that was done is not done twice.
func (r *Registry) TakeBack(ctx context.Context, u wire.PanelUndo) toolspec.Result {
	o := r.state.Load().tools[u.Tool]
	switch {
	case u.State == wire.UndoDone:
		return toolspec.Fail(toolspec.UserError, "it was taken back already", "")
	case o == nil || o.Def.Owner != u.Panel:
		return toolspec.Fail(toolspec.UserError, fmt.Sprintf("the %s panel, which could take it back, is gone", u.Panel), "Put its folder back, then undo again.")
	case o.UndoMethod != u.Method:
		return toolspec.Fail(toolspec.UserError, fmt.Sprintf("the %s panel has changed, and takes %s back in another way now", o.title, u.Tool), "Put it right in the panel.")
	case o.runner != nil && r.mayNotStart(o):
		return toolspec.Fail(toolspec.PermissionError, fmt.Sprintf("the %s panel's program does not run, and was not allowed to start yet", o.title),
			"Call one of the panel's tools first; it asks. Then undo again.")
	}
	claimed, err := r.cfg.Undos.MovePanelUndo(ctx, u.Call, u.State, wire.UndoDone, "")
	if err != nil || !claimed {
		return toolspec.Fail(toolspec.SystemError, "it is being taken back already, or that cannot be kept", "Look at the panel, then undo again.")
	}
	ctx, cancel := context.WithTimeout(ctx, undoTime)
	defer cancel()
	sent := outgoing{method: u.Method, path: u.Path}
	if u.Body != "" {
		sent.body = []byte(u.Body)
	}
	result := r.sendWhileThere(ctx, o, sent, func(string, string) {})
	if !result.Success {
		// What the panel refused is still there to be taken back.
		_, err := r.cfg.Undos.MovePanelUndo(context.WithoutCancel(ctx), u.Call, wire.UndoDone, wire.UndoConflict, result.Error)
		if err != nil {
			r.log.Warn("a refused undo was not noted", "call", u.Call, "error", err)
		}
	}
	return result
}

func (r *Registry) mayNotStart(o *offer) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.asks(o.runner)
}
