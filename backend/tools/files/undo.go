package files

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"sextant/backend/toolkit"
	"sextant/backend/tools/files/history"
	"sextant/backend/tools/files/safefs"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
	"sextant/shared/wire"

	"github.com/dustin/go-humanize/english"
)

// UndoTool is the name of the tool that undoes changes.
const UndoTool = "undo"

//go:embed undo.md
var undoDoc string

type undoParams struct {
	Call    string   `json:"call"`
	Turn    string   `json:"turn"`
	Paths   []string `json:"paths"`
	Preview bool     `json:"preview"`
}

func undo() tool {
	return build(
		define(UndoTool, undoDoc, `{"type":"object","properties":{`+
			`"call":{"type":"string","maxLength":128,"description":"The call whose changes are undone."},`+
			`"turn":{"type":"string","maxLength":128,"description":"Or a whole turn. Without both: the last call that changed files."},`+
			`"paths":{"type":"array","items":{"type":"string"},"maxItems":200,"description":"Only these files of it, absolute."},`+
			`"preview":{"type":"boolean","default":false,"description":"Only show what would change."}`+
			`},"additionalProperties":false}`,
			toolspec.Hints{}, `{}`, `{"preview":true}`, `{"call":"c_abc","paths":["/home/ana/lamps/notes.txt"]}`),
		handler[undoParams]{
			paths: func(t *Tools, call toolspec.Call, p undoParams) ([]pathUse, error) {
				wanted, err := t.reversals(context.Background(), call, p)
				if err != nil {
					return nil, err
				}
				paths := make([]pathUse, len(wanted))
				for i, r := range wanted {
					paths[i] = pathUse{r.Path, toolspec.UseWrite, (*safefs.FS).LocateReal}
					switch {
					case p.Preview:
						paths[i].use = toolspec.UseRead
					case r.Creates():
						paths[i].use = toolspec.UseDelete
					}
				}
				return paths, nil
			},
			describe: func(_ *Tools, p undoParams, at []safefs.Target) toolspec.Description {
				verb := "Undoing the changes to "
				if p.Preview {
					verb = "Comparing the changes to "
				}
				return toolspec.Description{Sentence: verb + shownNames(at)}
			},
			run: runUndo,
		})
}

// undoOwner returns "" for a person, who may undo the changes of every owner.
func undoOwner(call toolspec.Call) string {
	if call.From.Caller == toolspec.CallerPerson {
		return ""
	}
	return call.From.Owner()
}

func (t *Tools) reversals(ctx context.Context, call toolspec.Call, p undoParams) ([]history.Reversal, error) {
	t.history.WaitSettled(ctx)
	changes, err := t.history.RecordedChanges(ctx, call.From.Conversation, undoOwner(call), p.Turn, p.Call)
	if err != nil {
		return nil, err
	}
	panels, err := t.panelCalls(ctx, call, p, changes)
	if err != nil {
		return nil, err
	}
	if len(panels) > 0 && p.Turn == "" {
		return nil, nil // the selected call is a panel's
	}
	all := history.Reversals(changes)
	if len(p.Paths) > 0 {
		all = slices.DeleteFunc(all, func(r history.Reversal) bool { return !slices.Contains(p.Paths, r.Path) })
	}
	if len(all) == 0 && len(panels) == 0 {
		return nil, toolkit.UserError("there is no change of a file to undo, and no call of a panel",
			"Only what write_file, edit_file, bash and undoable panel tools changed can be undone, by who called them.")
	}
	return all, nil
}

func runUndo(ctx context.Context, t *Tools, r request[undoParams]) (toolspec.Result, error) {
	wanted, err := t.reversals(ctx, r.call, r.p)
	if err != nil {
		return toolspec.Result{}, err
	}
	if len(wanted) != len(r.at) {
		return toolspec.Result{}, safefs.RedirectError(UndoTool)
	}
	calls, ofPanels, err := t.undoPanels(ctx, r.call, r.p)
	if err != nil {
		return toolspec.Result{}, err
	}
	if len(wanted) == 0 {
		return ofPanels, nil
	}
	files, undone, err := t.history.Undo(ctx, r.call, wanted, r.at, r.p.Preview)
	if err != nil {
		return toolspec.Result{}, err
	}
	var conflicts []string
	for _, f := range files {
		if f.State == wire.UndoConflict {
			conflicts = append(conflicts, fmt.Sprintf("%s (%s)", f.DisplayPath, f.Reason))
		}
	}
	if len(conflicts) == len(files) && !ofPanels.Success {
		return toolspec.Result{}, toolkit.UserError("nothing was undone: "+strings.Join(conflicts, "; "),
			"Read the file with read_file and correct it with edit_file.")
	}
	result := toolspec.OK(map[string]any{"files": files, "calls": calls, "preview": r.p.Preview})
	for _, a := range undone {
		result.Changed = append(result.Changed, a.Real)
	}
	result.Text, result.Sentence = undoText(files, undone, conflicts, r.p.Preview)
	if len(calls) > 0 {
		result.Text += "\n" + ofPanels.ModelText()
		result.Sources = ofPanels.Sources
	}
	for _, f := range files[:min(len(files), 6)] {
		result.Preview = append(result.Preview,
			fmt.Sprintf("%s %s +%d −%d", f.DisplayPath, f.State, f.Added, f.Removed))
	}
	return result, nil
}

func undoText(
	files []wire.ChangedFile, undone []safefs.Target, conflicts []string, preview bool,
) (text, sentence string) {
	var b strings.Builder
	switch {
	case preview:
		b.WriteString("These changes would be undone; nothing was done yet.\n")
		for _, f := range files {
			note := inParentheses(strings.Trim(f.Reason+"; "+f.Note, "; "))
			fmt.Fprintf(&b, "%s: %s, %s%s\n%s", f.DisplayPath, f.Change, f.State, note,
				excerpt.TruncateBytes(f.Diff, 8000))
		}
		return b.String(), "Compared the changes to " + english.Plural(len(files), "file", "")
	case len(undone) == 0:
		sentence = "Nothing was left to undo"
	default:
		sentence = "Undid the changes to " + shownNames(undone)
	}
	b.WriteString(sentence + ".")
	for _, f := range files {
		fmt.Fprintf(&b, "\n%s: %s", f.DisplayPath, f.State)
	}
	if len(conflicts) > 0 {
		sentence += fmt.Sprintf("; %d could not be", len(conflicts))
		b.WriteString("\nLeft as they are: " + strings.Join(conflicts, "; ") + ".")
	}
	return b.String(), sentence
}
