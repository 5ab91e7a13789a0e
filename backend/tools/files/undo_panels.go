package files

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// panelCalls returns the selected panel calls, newest first. Without a call and a turn, that is the last one, unless a
// file change is newer.
func (t *Tools) panelCalls(
	ctx context.Context, call toolspec.Call, p undoParams, changes []wire.FileChange,
) ([]wire.PanelUndo, error) {
	if t.cfg.Panels == nil || len(p.Paths) > 0 {
		return nil, nil
	}
	list, err := t.cfg.Panels.PanelUndos(ctx, call.From.Conversation, undoOwner(call), p.Turn, p.Call)
	if err != nil {
		return nil, err
	}
	if p.Turn == "" && p.Call == "" && len(list) > 0 && len(changes) > 0 &&
		changes[len(changes)-1].Time.After(list[0].Time) {
		return nil, nil
	}
	if p.Turn != "" {
		list = slices.DeleteFunc(list, func(u wire.PanelUndo) bool { return u.State == wire.UndoDone })
	}
	slices.Reverse(list)
	return list, nil
}

func (t *Tools) describePanelUndo(d *toolspec.Description, call toolspec.Call) {
	var p undoParams
	if json.Unmarshal(call.Args, &p) != nil {
		return
	}
	list, err := t.panelCalls(context.Background(), call, p, t.fileChanges(call, p))
	if err != nil || len(list) == 0 {
		return
	}
	var did, targets, data []string
	for _, u := range list {
		if !p.Preview {
			d.Warnings = append(d.Warnings, "The "+u.Panel+" panel undoes a call itself")
		}
		did, targets = append(did, u.Sentence), append(targets, u.Method+" "+u.Path)
		if u.Body != "" && u.Body != "{}" {
			data = append(data, u.Body)
		}
	}
	if d.Target == "" {
		verb := "Undoing: "
		if p.Preview {
			verb = "Checking how to undo: "
		}
		d.Sentence = verb + strings.Join(did, "; ")
	} else {
		targets = append([]string{d.Target}, targets...)
	}
	d.Target, d.Data = strings.Join(targets, ", "), strings.Join(data, "\n")
}

func (t *Tools) fileChanges(call toolspec.Call, p undoParams) []wire.FileChange {
	changes, err := t.history.RecordedChanges(context.Background(), call.From.Conversation, undoOwner(call), p.Turn,
		p.Call)
	if err != nil {
		return nil
	}
	return changes
}

// undoPanels returns a zero Result if the call selects no panel calls.
func (t *Tools) undoPanels(
	ctx context.Context, call toolspec.Call, p undoParams,
) ([]wire.UndoableCall, toolspec.Result, error) {
	list, err := t.panelCalls(ctx, call, p, t.fileChanges(call, p))
	if err != nil || len(list) == 0 {
		return nil, toolspec.Result{}, err
	}
	calls := make([]wire.UndoableCall, 0, len(list))
	var done, failed, sources []string
	var last toolspec.Result
	for _, u := range list {
		c := ToUndoableCall(u)
		if !p.Preview {
			last = t.cfg.Panels.UndoCall(ctx, u)
			c.State = wire.UndoDone
			if !last.Success {
				c.State, c.Reason = wire.UndoConflict, last.Error
				failed = append(failed, u.Sentence+" ("+last.Error+")")
			} else {
				done = append(done, u.Sentence)
			}
		}
		calls, sources = append(calls, c), append(sources, "panel:"+u.Panel)
	}
	slices.Sort(sources)
	sources = slices.Compact(sources)
	if !p.Preview && len(done) == 0 {
		r := toolspec.Fail(last.ErrorType, "nothing was undone: "+strings.Join(failed, "; "), last.Suggestion)
		r.Sources = sources
		return calls, r, nil
	}
	r := toolspec.OK(map[string]any{"calls": calls, "preview": p.Preview})
	r.Sources = sources
	r.Sentence = "Undid: " + strings.Join(done, "; ")
	if p.Preview {
		r.Sentence = "Checked how to undo " + english.Plural(len(calls), "call", "")
	}
	r.Text = r.Sentence + "."
	for _, c := range calls {
		r.Text += fmt.Sprintf("\n%s: %s", c.Sentence, c.State)
	}
	if len(failed) > 0 {
		r.Text += "\nLeft as they are: " + strings.Join(failed, "; ") + "."
	}
	return calls, r, nil
}

// ToUndoableCall converts u and leaves out the request to the panel.
func ToUndoableCall(u wire.PanelUndo) wire.UndoableCall {
	return wire.UndoableCall{
		Call: u.Call, Panel: u.Panel, Tool: u.Tool, Sentence: u.Sentence, State: u.State, Reason: u.Reason,
	}
}
