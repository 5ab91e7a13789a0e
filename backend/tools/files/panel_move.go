package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"sextant/backend/toolkit"
	"sextant/backend/tools/files/safefs"
	"sextant/backend/tools/files/trash"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

type panelMoveParams struct {
	From string `json:"from"`
	To   string `json:"to"`
}

func panelMove() tool {
	return build(definePanelTool(PanelMoveTool), handler[panelMoveParams]{
		paths: func(_ *Tools, _ toolspec.Call, p panelMoveParams) ([]pathUse, error) {
			return append(entry(p.From, toolspec.UseWrite), entry(p.To, toolspec.UseWrite)...), nil
		},
		describe: func(_ *Tools, _ panelMoveParams, at []safefs.Target) toolspec.Description {
			return toolspec.Description{Sentence: fmt.Sprintf("Moving %s to %s", shownNames(at[:1]),
				shownNames(at[1:]))}
		},
		run: runPanelMove,
	})
}

func runPanelMove(ctx context.Context, t *Tools, r request[panelMoveParams]) (toolspec.Result, error) {
	from, to := r.at[0], r.at[1]
	if toolkit.IsWithin(to.Real, from.Real) {
		return toolspec.Result{}, toolkit.UserError(from.DisplayPath+" cannot be moved into itself",
			"Send another place.")
	}
	// Two moves in opposite directions lock in the same order.
	first, second := from, to
	if second.Real < first.Real {
		first, second = second, first
	}
	defer t.history.Lock(first)()
	defer t.history.Lock(second)()
	source, info, err := t.openEntry(from)
	if err != nil {
		return toolspec.Result{}, err
	}
	defer func() { _ = source.Close() }()
	dest, err := t.fs.OpenParent(to)
	if err != nil {
		return toolspec.Result{}, err
	}
	defer func() { _ = dest.Close() }()
	if _, err := dest.Lstat(filepath.Base(to.Real)); err == nil {
		return toolspec.Result{}, nameTaken(to)
	}
	moved, err := t.history.PrepareMove(ctx, r.call, from, info)
	if err != nil {
		return toolspec.Result{}, err
	}
	if err := moved.Record(ctx, r.call, &to); err != nil {
		return toolspec.Result{}, err
	}
	switch err := trash.Rename(source, filepath.Base(from.Real), dest, filepath.Base(to.Real)); {
	case errors.Is(err, fs.ErrExist):
		return toolspec.Result{}, nameTaken(to)
	case err != nil:
		return toolspec.Result{}, t.fs.Explain(from, err)
	}
	moved.Announce(&to)
	result := toolspec.OK(map[string]any{"from": from.DisplayPath, "to": to.DisplayPath, "undo": moved.Undoable()})
	result.Sentence = fmt.Sprintf("Moved %s to %s", shownNames(r.at[:1]), shownNames(r.at[1:]))
	result.Text = fmt.Sprintf("Moved %s to %s.", from.DisplayPath, to.DisplayPath)
	result.Changed = []string{from.Real, to.Real}
	return result, nil
}

// openEntry returns a handle of a's folder, which the caller closes. It does not follow a link at a.
func (t *Tools) openEntry(a safefs.Target) (*os.Root, fs.FileInfo, error) {
	root, err := t.fs.OpenParent(a)
	if err != nil {
		return nil, nil, err
	}
	info, err := root.Lstat(filepath.Base(a.Real))
	if err != nil {
		_ = root.Close()
		return nil, nil, t.fs.Explain(a, err)
	}
	return root, info, nil
}

func panelTrash() tool {
	return build(definePanelTool(PanelTrashTool), handler[panelPathParams]{
		paths: func(_ *Tools, _ toolspec.Call, p panelPathParams) ([]pathUse, error) {
			return entry(p.Path, toolspec.UseDelete), nil
		},
		describe: func(_ *Tools, _ panelPathParams, at []safefs.Target) toolspec.Description {
			return toolspec.Description{Sentence: "Moving " + shownNames(at) + " to the trash"}
		},
		run: runPanelTrash,
	})
}

func runPanelTrash(ctx context.Context, t *Tools, r request[panelPathParams]) (toolspec.Result, error) {
	a := r.at[0]
	defer t.history.Lock(a)()
	source, info, err := t.openEntry(a)
	if err != nil {
		return toolspec.Result{}, err
	}
	defer func() { _ = source.Close() }()
	moved, err := t.history.PrepareMove(ctx, r.call, a, info)
	if err != nil {
		return toolspec.Result{}, err
	}
	if err := moved.Record(ctx, r.call, nil); err != nil {
		return toolspec.Result{}, err
	}
	item, err := t.trash.Put(source, filepath.Base(a.Real), a.Real)
	switch {
	case errors.Is(err, trash.ErrTooLarge):
		return toolspec.Result{}, toolkit.UserError(a.DisplayPath+" was not moved to the trash: "+err.Error(),
			"Remove it with a command, or a part of it at a time.")
	case err != nil:
		return toolspec.Result{}, t.fs.Explain(a, err)
	}
	moved.Announce(nil)
	result := toolspec.OK(item)
	result.Sentence = "Moved " + shownNames(r.at) + " to the trash"
	result.Text = fmt.Sprintf("Moved %s to the trash. It can be restored by its id %s for thirty days.", a.DisplayPath,
		item.ID)
	result.Changed = []string{a.Real}
	return result, nil
}

// panelRestoreParams restores an item to its original path if To is "".
type panelRestoreParams struct {
	ID string `json:"id"`
	To string `json:"to"`
}

func panelRestore() tool {
	return build(definePanelTool(PanelRestoreTool), handler[panelRestoreParams]{
		paths: func(t *Tools, _ toolspec.Call, p panelRestoreParams) ([]pathUse, error) {
			item, err := t.trash.Item(p.ID)
			if err != nil {
				return nil, notInTrash(p.ID)
			}
			if p.To != "" {
				return entry(p.To, toolspec.UseWrite), nil
			}
			return []pathUse{{item.Path, toolspec.UseWrite, (*safefs.FS).LocateReal}}, nil
		},
		describe: func(_ *Tools, _ panelRestoreParams, at []safefs.Target) toolspec.Description {
			return toolspec.Description{Sentence: "Restoring " + shownNames(at) + " from the trash"}
		},
		run: runPanelRestore,
	})
}

func runPanelRestore(_ context.Context, t *Tools, r request[panelRestoreParams]) (toolspec.Result, error) {
	a := r.at[0]
	defer t.history.Lock(a)()
	dest, err := t.history.OpenParent(a)
	if err != nil {
		return toolspec.Result{}, err
	}
	defer func() { _ = dest.Close() }()
	switch err := t.trash.Restore(r.p.ID, dest, filepath.Base(a.Real)); {
	case errors.Is(err, fs.ErrExist):
		return toolspec.Result{}, nameTaken(a)
	case errors.Is(err, trash.ErrNotFound):
		return toolspec.Result{}, notInTrash(r.p.ID)
	case err != nil:
		return toolspec.Result{}, t.fs.Explain(a, err)
	}
	result := toolspec.OK(map[string]any{"path": a.DisplayPath})
	result.Sentence, result.Text = "Restored "+shownNames(r.at), "Restored "+a.DisplayPath+"."
	result.Changed = []string{a.Real}
	return result, nil
}

func notInTrash(id string) error {
	return toolkit.UserError(fmt.Sprintf("%q is no longer in the trash", excerpt.TruncateBytes(id, 40)),
		"Check what is in the trash.")
}

// TrashItems returns the items in the trash, newest first.
func (t *Tools) TrashItems() []wire.TrashItem { return t.trash.Items() }
