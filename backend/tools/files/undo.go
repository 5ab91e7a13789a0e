package files

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

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
					uses[i] = use{w.path, toolspec.UseWrite}
					if w.before == "" {
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

// reversal is what some changes did to one file in all: from before to after, blob ids, "" for
// no file.
type reversal struct {
	path, before, after string
	mode                fs.FileMode
	// own are the contents it had by these changes after before, the last one included.
	own []string
	// broken says that something else changed the file between the changes.
	broken bool
}

// reversals sums changes up by file, in the order of the first change.
func reversals(changes []wire.FileChange) []reversal {
	var all []reversal
	for _, c := range changes {
		i := slices.IndexFunc(all, func(r reversal) bool { return r.path == c.Path })
		if i < 0 {
			all = append(all, reversal{c.Path, c.Before, c.After, fs.FileMode(c.Mode), []string{c.After}, false})
			continue
		}
		r := &all[i]
		switch {
		case c.Before == r.before:
			// It was undone in between, or the write never came about.
			r.own, r.broken = nil, false
		case !slices.Contains(r.own, c.Before):
			r.broken = true
		}
		r.after, r.own = c.After, append(r.own, c.After)
	}
	return all
}

// from is what the reversal starts at when the file holds now: the last content, or an earlier
// one of its own when what came after was undone, or never came about.
func (r reversal) from(now string) reversal {
	if slices.Contains(r.own, now) {
		r.after = now
	}
	return r
}

// wanted are the changes that a call of undo names. A model takes back only what its own
// conversation did and a program what it did itself; a person takes back what they like.
func (t *Tools) wanted(ctx context.Context, call toolspec.Call, p undoParams) ([]reversal, error) {
	whose := owner(call)
	if call.From.Caller == toolspec.CallerPerson {
		whose = ""
	}
	changes, err := t.cfg.Changes.FileChanges(ctx, call.From.Conversation, whose, p.Turn, p.Call)
	if err != nil {
		return nil, err
	}
	all := reversals(changes)
	if len(p.Paths) > 0 {
		all = slices.DeleteFunc(all, func(r reversal) bool { return !slices.Contains(p.Paths, r.path) })
	}
	if len(all) == 0 {
		return nil, &fault{toolspec.UserError, "there is no change of a file to undo", "Only write_file and edit_file can be undone, by who called them."}
	}
	return all, nil
}

// Changes says what a turn did to files and whether each can be undone.
func (t *Tools) Changes(ctx context.Context, turn string) ([]wire.ChangedFile, error) {
	changes, err := t.cfg.Changes.FileChanges(ctx, "", "", turn, "")
	if err != nil {
		return nil, err
	}
	files := []wire.ChangedFile{}
	for _, r := range reversals(changes) {
		a, err := t.locate(r.path)
		if err != nil {
			files = append(files, wire.ChangedFile{Path: r.path, Shown: r.path, Did: r.did(), State: wire.UndoConflict, Why: err.Error()})
			continue
		}
		files = append(files, t.judgeUndo(ctx, r, a))
	}
	return files, nil
}

func (r reversal) did() string {
	switch {
	case r.before == "":
		return "made"
	case r.after == "":
		return "removed"
	}
	return "changed"
}

// judgeUndo says whether a change can be taken back now, and shows what it did.
func (t *Tools) judgeUndo(ctx context.Context, r reversal, a target) wire.ChangedFile {
	now, err := t.now(ctx, a)
	if err == nil {
		r = r.from(now.hash())
	}
	f := wire.ChangedFile{Path: r.path, Shown: a.shown, Did: r.did(), State: wire.UndoReady}
	before, errBefore := t.blob(r.before)
	after, errAfter := t.blob(r.after)
	if errBefore == nil && errAfter == nil {
		d := diffOf(a.shown, before, after)
		f.Diff, f.Added, f.Removed, f.Note = d.text, d.added, d.removed, d.note
	}
	switch {
	case errBefore != nil:
		f.State, f.Why = wire.UndoConflict, "what it held before is not kept any more"
	case err != nil:
		f.State, f.Why = wire.UndoConflict, err.Error()
	case a.real != r.path:
		f.State, f.Why = wire.UndoConflict, "it is a link to "+a.real+" now"
	case now.hash() == r.before && r.before != r.after:
		f.State = wire.UndoDone
	case r.broken:
		f.State, f.Why = wire.UndoConflict, "something else changed it in between"
	case now.hash() != r.after && !now.exists:
		f.State, f.Why = wire.UndoConflict, "it was removed since"
	case now.hash() != r.after:
		f.State, f.Why = wire.UndoConflict, "it was changed since"
	}
	return f
}

// blob reads a kept content; "" is none.
func (t *Tools) blob(id string) ([]byte, error) {
	if id == "" {
		return nil, nil
	}
	r, _, err := t.cfg.Blobs.Open(id)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	return io.ReadAll(io.LimitReader(r, maxKept+1))
}

func runUndo(ctx context.Context, t *Tools, j job[undoParams]) (toolspec.Result, error) {
	wanted, err := t.wanted(ctx, j.call, j.p)
	if err != nil {
		return toolspec.Result{}, err
	}
	if len(wanted) != len(j.at) {
		return toolspec.Result{}, swapped(Undo)
	}
	var files []wire.ChangedFile
	var done []target
	var left []string
	var paths []string
	for i, r := range wanted {
		a := j.at[i]
		f := t.judgeUndo(ctx, r, a)
		if f.State == wire.UndoReady && !j.p.Preview {
			if err := t.takeBack(ctx, j.call, r, a); err != nil {
				var bad *fault
				if !errors.As(err, &bad) {
					return toolspec.Result{}, err
				}
				f.State, f.Why = wire.UndoConflict, bad.message
			} else {
				f.State = wire.UndoDone
				done, paths = append(done, a), append(paths, a.real)
			}
		}
		if f.State == wire.UndoConflict {
			left = append(left, fmt.Sprintf("%s (%s)", f.Shown, f.Why))
		}
		files = append(files, f)
	}
	if len(left) == len(files) {
		return toolspec.Result{}, &fault{
			toolspec.UserError, "nothing was undone: " + strings.Join(left, "; "), "Look at the file with read_file and put it right with edit_file.",
		}
	}
	r := toolspec.OK(map[string]any{"files": files, "preview": j.p.Preview})
	r.Changed = paths
	r.Text, r.Sentence = undoText(files, done, left, j.p.Preview)
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
	before, err := t.blob(r.before)
	if err != nil {
		return fmt.Errorf("reading what %s held before: %w", a.shown, err)
	}
	_, err = t.change(ctx, call, a, func(now current) (next, error) {
		if now.hash() != r.from(now.hash()).after {
			return next{}, &fault{toolspec.UserError, "it was changed since", ""}
		}
		return next{gone: r.before == "", content: before, mode: r.mode}, nil
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
			fmt.Fprintf(&b, "%s: %s, %s%s\n%s", f.Shown, f.Did, f.State, inBrackets(strings.Trim(f.Why+"; "+f.Note, "; ")), cutText(f.Diff, 8000))
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
