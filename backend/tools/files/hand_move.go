package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"sextant/backend/tools/files/trash"
	"sextant/backend/tools/room"
	"sextant/shared/clip"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// Bounds of what is kept of a folder that is moved, so that it can be undone as the changes of a
// turn are.
const (
	maxMovedRows  = 300
	maxMovedBytes = 32 << 20
)

type handMoveParams struct {
	From string `json:"from"`
	To   string `json:"to"`
}

func handMove() tool {
	return build(hand(HandMove), parts[handMoveParams]{
		uses: func(_ *Tools, _ toolspec.Call, p handMoveParams) ([]use, error) {
			return []use{{path: p.From, use: toolspec.UseWrite, entry: true}, {path: p.To, use: toolspec.UseWrite, entry: true}}, nil
		},
		say: func(_ *Tools, _ handMoveParams, at []target) toolspec.Description {
			return toolspec.Description{Present: fmt.Sprintf("Moving %s to %s", called(at[:1]), called(at[1:]))}
		},
		run: runHandMove,
	})
}

func runHandMove(ctx context.Context, t *Tools, j job[handMoveParams]) (toolspec.Result, error) {
	from, to := j.at[0], j.at[1]
	if room.Within(to.real, from.real) {
		return toolspec.Result{}, &fault{toolspec.UserError, from.shown + " cannot be moved into itself", "Send another place."}
	}
	defer t.writes.hold(from.real)()
	defer t.writes.hold(to.real)()
	out, info, err := t.entryAt(from)
	if err != nil {
		return toolspec.Result{}, err
	}
	defer func() { _ = out.Close() }()
	in, err := t.openDir(to, filepath.Dir(to.real))
	if err != nil {
		return toolspec.Result{}, err
	}
	defer func() { _ = in.Close() }()
	if _, err := in.Lstat(filepath.Base(to.real)); err == nil {
		return toolspec.Result{}, taken(to)
	}
	moved, err := t.survey(ctx, j.call, from, info)
	if err != nil {
		return toolspec.Result{}, err
	}
	if err := t.keepMoved(ctx, j.call, moved, from, &to); err != nil {
		return toolspec.Result{}, err
	}
	switch err := trash.Rename(out, filepath.Base(from.real), in, filepath.Base(to.real)); {
	case errors.Is(err, fs.ErrExist):
		return toolspec.Result{}, taken(to)
	case err != nil:
		return toolspec.Result{}, t.cannot(from, err)
	}
	t.tellMoved(moved, from, &to)
	r := toolspec.OK(map[string]any{"from": from.shown, "to": to.shown, "undo": len(moved) > 0})
	r.Sentence = fmt.Sprintf("Moved %s to %s", called(j.at[:1]), called(j.at[1:]))
	r.Text = fmt.Sprintf("Moved %s to %s.", from.shown, to.shown)
	r.Changed = []string{from.real, to.real}
	return r, nil
}

func handTrash() tool {
	return build(hand(HandTrash), parts[handPathParams]{
		uses: func(_ *Tools, _ toolspec.Call, p handPathParams) ([]use, error) {
			return []use{{path: p.Path, use: toolspec.UseDelete, entry: true}}, nil
		},
		say: func(_ *Tools, _ handPathParams, at []target) toolspec.Description {
			return toolspec.Description{Present: "Moving " + called(at) + " to the trash"}
		},
		run: runHandTrash,
	})
}

func runHandTrash(ctx context.Context, t *Tools, j job[handPathParams]) (toolspec.Result, error) {
	a := j.at[0]
	defer t.writes.hold(a.real)()
	out, info, err := t.entryAt(a)
	if err != nil {
		return toolspec.Result{}, err
	}
	defer func() { _ = out.Close() }()
	moved, err := t.survey(ctx, j.call, a, info)
	if err != nil {
		return toolspec.Result{}, err
	}
	if err := t.keepMoved(ctx, j.call, moved, a, nil); err != nil {
		return toolspec.Result{}, err
	}
	item, err := t.bin.Put(out, filepath.Base(a.real), a.real)
	switch {
	case errors.Is(err, trash.ErrTooLarge):
		return toolspec.Result{}, &fault{toolspec.UserError, a.shown + " was not moved to the trash: " + err.Error(), "Remove it with a command, or a part of it at a time."}
	case err != nil:
		return toolspec.Result{}, t.cannot(a, err)
	}
	t.tellMoved(moved, a, nil)
	r := toolspec.OK(item)
	r.Sentence = "Moved " + called(j.at) + " to the trash"
	r.Text = fmt.Sprintf("Moved %s to the trash. It is put back by its id %s, for thirty days.", a.shown, item.ID)
	r.Changed = []string{a.real}
	return r, nil
}

// handRestoreParams name an item of the trash; To is where it goes when not where it lay.
type handRestoreParams struct {
	ID string `json:"id"`
	To string `json:"to"`
}

func handRestore() tool {
	return build(hand(HandRestore), parts[handRestoreParams]{
		uses: func(t *Tools, _ toolspec.Call, p handRestoreParams) ([]use, error) {
			item, err := t.bin.Item(p.ID)
			if err != nil {
				return nil, gone(p.ID)
			}
			if p.To != "" {
				return []use{{path: p.To, use: toolspec.UseWrite, entry: true}}, nil
			}
			return []use{{path: item.Path, use: toolspec.UseWrite, self: true}}, nil
		},
		say: func(_ *Tools, _ handRestoreParams, at []target) toolspec.Description {
			return toolspec.Description{Present: "Putting " + called(at) + " back from the trash"}
		},
		run: func(_ context.Context, t *Tools, j job[handRestoreParams]) (toolspec.Result, error) {
			a := j.at[0]
			defer t.writes.hold(a.real)()
			in, err := t.makeDir(a)
			if err != nil {
				return toolspec.Result{}, err
			}
			defer func() { _ = in.Close() }()
			switch err := t.bin.Restore(j.p.ID, in, filepath.Base(a.real)); {
			case errors.Is(err, fs.ErrExist):
				return toolspec.Result{}, taken(a)
			case errors.Is(err, trash.ErrGone):
				return toolspec.Result{}, gone(j.p.ID)
			case err != nil:
				return toolspec.Result{}, t.cannot(a, err)
			}
			r := toolspec.OK(map[string]any{"path": a.shown})
			r.Sentence, r.Text, r.Changed = "Put "+called(j.at)+" back", "Put "+a.shown+" back.", []string{a.real}
			return r, nil
		},
	})
}

func gone(id string) error {
	return &fault{toolspec.UserError, fmt.Sprintf("there is no %q in the trash any more", clip.Bytes(id, 40)), "Look at what is in the trash."}
}

// Trash is what is in the trash, the newest first.
func (t *Tools) Trash() []wire.TrashItem { return t.bin.Items() }

// moved is one file, link or folder of what is moved, rel from it, "" itself.
type moved struct {
	rel string
	is  current
}

// survey is all that lies at a, nil when it is more than is kept for undo. What holds a place that
// is closed to tools is refused: moved elsewhere it would lie at an open one.
func (t *Tools) survey(ctx context.Context, call toolspec.Call, a target, info fs.FileInfo) ([]moved, error) {
	if !info.IsDir() {
		if special(info.Mode()) || info.Size() > maxKept {
			return nil, nil
		}
		is, err := t.now(ctx, a)
		return []moved{{"", is}}, err
	}
	all, size, whole := []moved{{"", current{exists: true, info: info}}}, int64(0), true
	w := walk{t: t, ctx: ctx, tool: call.Tool, depth: maxDepth}
	w.visit = func(e entry) error {
		if e.d.IsDir() && e.d.Name() == ".git" || special(e.d.Type()) {
			whole = false // its inside is not walked
		}
		if !whole {
			return nil
		}
		info, err := e.d.Info()
		if size += info.Size(); err != nil || size > maxMovedBytes || len(all) >= maxMovedRows {
			whole = false
			return nil //nolint:nilerr // what cannot be read is moved all the same
		}
		is, err := t.now(ctx, target{real: e.real, shown: a.shown + "/" + e.rel, folder: a.folder, place: e.place, self: true})
		all = append(all, moved{filepath.FromSlash(e.rel), is})
		whole = whole && err == nil
		return nil //nolint:nilerr // as above
	}
	if err := w.run(a); err != nil {
		return nil, err
	}
	if w.closed > 0 {
		return nil, &fault{toolspec.SecurityError, a.shown + " holds what is closed to every tool, so it stays where it is", "Move what else is in it."}
	}
	if !whole {
		return nil, nil
	}
	return all, nil
}

// keepMoved keeps the rows by which a move is undone; to is nil for what goes.
func (t *Tools) keepMoved(ctx context.Context, call toolspec.Call, all []moved, from target, to *target) error {
	for _, m := range all {
		a := from
		a.real = filepath.Join(from.real, m.rel)
		if err := t.keep(ctx, call, a, m.is, next{gone: true}); err != nil {
			return err
		}
	}
	for _, m := range all {
		if to == nil {
			break
		}
		a := *to
		a.real = filepath.Join(to.real, m.rel)
		if err := t.keep(ctx, call, a, current{}, next{content: m.is.content, mode: m.is.mode()}); err != nil {
			return err
		}
	}
	return nil
}

// tellMoved tells who watches of each file that moved.
func (t *Tools) tellMoved(all []moved, from target, to *target) {
	for _, m := range all {
		t.cfg.Watched.Hold(filepath.Join(from.real, m.rel))(m.is.hash(), "")
		if to != nil {
			t.cfg.Watched.Hold(filepath.Join(to.real, m.rel))("", m.is.hash())
		}
	}
}
