package files

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"sextant/shared/clip"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// Undo is the name of the tool that takes changes of files back.
const Undo = "undo"

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
		define(Undo, undoDoc, `{"type":"object","properties":{`+
			`"call":{"type":"string","maxLength":128,"description":"The call whose changes are taken back."},`+
			`"turn":{"type":"string","maxLength":128,"description":"Or a whole turn. Without both: the last call that changed files."},`+
			`"paths":{"type":"array","items":{"type":"string"},"maxItems":200,"description":"Only these files of it, absolute."},`+
			`"preview":{"type":"boolean","default":false,"description":"Only show what would change."}},"additionalProperties":false}`,
			toolspec.Hints{}, `{}`, `{"preview":true}`),
		parts[undoParams]{
			uses: func(t *Tools, call toolspec.Call, p undoParams) ([]use, error) {
				wanted, err := t.wanted(context.Background(), call, p)
				if err != nil {
					return nil, err
				}
				uses := make([]use, len(wanted))
				for i, w := range wanted {
					uses[i] = use{path: w.path, use: toolspec.UseWrite, self: true}
					if w.before.id == "" {
						uses[i].use = toolspec.UseDelete
					}
					if p.Preview {
						uses[i].use = toolspec.UseRead
					}
				}
				return uses, nil
			},
			say: func(t *Tools, p undoParams, at []target) toolspec.Description {
				verb := "Undoing the changes to "
				if p.Preview {
					verb = "Looking at the changes to "
				}
				return toolspec.Description{Present: verb + called(at)}
			},
			run: runUndo,
		})
}

// wanted are the changes that a call of undo names. A model takes back only what its own
// conversation did and a program what it did itself; a person takes back what they like.
func (t *Tools) wanted(ctx context.Context, call toolspec.Call, p undoParams) ([]reversal, error) {
	whose := owner(call)
	if call.From.Caller == toolspec.CallerPerson {
		whose = ""
	}
	t.cfg.Watched.Settled(ctx)
	changes, err := t.cfg.Changes.FileChanges(ctx, call.From.Conversation, whose, p.Turn, p.Call)
	if err != nil {
		return nil, err
	}
	panels, err := t.panelCalls(ctx, call, p, changes)
	if err != nil {
		return nil, err
	}
	if len(panels) > 0 && p.Turn == "" {
		return nil, nil // the call was a panel's
	}
	all := reversals(changes)
	if len(p.Paths) > 0 {
		all = slices.DeleteFunc(all, func(r reversal) bool { return !slices.Contains(p.Paths, r.path) })
	}
	if len(all) == 0 && len(panels) == 0 {
		return nil, &fault{toolspec.UserError, "there is no change of a file to undo, and no call of a panel", "Only what write_file, edit_file, bash and panels' tools that can be undone changed, by who called them."}
	}
	return all, nil
}

func runUndo(ctx context.Context, t *Tools, j job[undoParams]) (toolspec.Result, error) {
	wanted, err := t.wanted(ctx, j.call, j.p)
	if err != nil {
		return toolspec.Result{}, err
	}
	if len(wanted) != len(j.at) {
		return toolspec.Result{}, swapped(Undo)
	}
	calls, said, err := t.undoPanels(ctx, j.call, j.p)
	if err != nil {
		return toolspec.Result{}, err
	}
	if len(wanted) == 0 {
		return said, nil
	}
	var done []target
	var left, paths []string
	files, err := t.judgeAll(ctx, wanted, j.at, func(r reversal, a target) (bool, error) {
		if j.p.Preview {
			return false, nil
		}
		err := t.takeBack(ctx, j.call, r, a)
		if err == nil {
			done, paths = append(done, a), append(paths, a.real)
		}
		return err == nil, err
	})
	if err != nil {
		return toolspec.Result{}, err
	}
	for _, f := range files {
		if f.State == wire.UndoConflict {
			left = append(left, fmt.Sprintf("%s (%s)", f.Shown, f.Why))
		}
	}
	if len(left) == len(files) && !said.Success {
		return toolspec.Result{}, &fault{
			toolspec.UserError, "nothing was undone: " + strings.Join(left, "; "), "Look at the file with read_file and put it right with edit_file.",
		}
	}
	r := toolspec.OK(map[string]any{"files": files, "calls": calls, "preview": j.p.Preview})
	r.Changed = paths
	r.Text, r.Sentence = undoText(files, done, left, j.p.Preview)
	if len(calls) > 0 {
		r.Text += "\n" + said.ModelText()
		r.Sources = said.Sources
	}
	for _, f := range files {
		r.Preview = append(r.Preview, fmt.Sprintf("%s %s +%d −%d", f.Shown, f.State, f.Added, f.Removed))
		if len(r.Preview) == 6 {
			break
		}
	}
	return r, nil
}

// takeBack puts one file back as it was.
func (t *Tools) takeBack(ctx context.Context, call toolspec.Call, r reversal, a target) error {
	before, err := t.blob(r.before.id)
	if err != nil {
		return fmt.Errorf("reading what %s held before: %w", a.shown, err)
	}
	_, err = t.change(ctx, call, a, func(now current) (next, error) {
		if is := now.version(); !is.same(r.from(is).after) {
			return next{}, &fault{toolspec.UserError, "it was changed since", ""}
		}
		return next{gone: r.before.id == "", content: before, mode: r.before.mode}, nil
	})
	return err
}

func undoText(files []wire.ChangedFile, done []target, left []string, preview bool) (text, sentence string) {
	var b strings.Builder
	switch {
	case preview:
		sentence = "Looked at the changes to " + counted(len(files), "file")
		b.WriteString("These changes would be taken back; nothing was done yet.\n")
		for _, f := range files {
			fmt.Fprintf(&b, "%s: %s, %s%s\n%s", f.Shown, f.Did, f.State, inBrackets(strings.Trim(f.Why+"; "+f.Note, "; ")), clip.Bytes(f.Diff, 8000))
		}
		return b.String(), sentence
	case len(done) == 0:
		sentence = "Nothing was left to undo"
	default:
		sentence = "Undid the changes to " + called(done)
	}
	b.WriteString(sentence + ".")
	for _, f := range files {
		fmt.Fprintf(&b, "\n%s: %s", f.Shown, f.State)
	}
	if len(left) > 0 {
		sentence += fmt.Sprintf("; %d could not be", len(left))
		b.WriteString("\nLeft as they are: " + strings.Join(left, "; ") + ".")
	}
	return b.String(), sentence
}
