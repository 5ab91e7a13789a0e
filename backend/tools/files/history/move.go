package history

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"sextant/backend/toolkit"
	"sextant/backend/tools/files/safefs"
	"sextant/shared/toolspec"
)

// A larger folder can be moved, but the move cannot be undone.
const (
	maxMovedFiles = 300
	maxMovedBytes = 32 << 20
)

// Move is a file or folder that is about to be moved or removed. Its entries are nil if they cannot be recorded.
type Move struct {
	h       *History
	from    safefs.Target
	entries []movedEntry
}

// rel is the path below the moved folder, or "" for the moved file or folder itself.
type movedEntry struct {
	rel   string
	state State
}

var errTooMuch = errors.New("too much to record")

// PrepareMove prepares to move the file or folder at t. It refuses a folder that contains a place closed to tools,
// because the place would be open at its new path, and a folder that it cannot search completely. It does not search
// the inside of .git.
func (h *History) PrepareMove(
	ctx context.Context, call toolspec.Call, t safefs.Target, info fs.FileInfo,
) (Move, error) {
	m := Move{h: h, from: t}
	if !info.IsDir() {
		if safefs.IsSpecial(info.Mode()) || info.Size() > maxContent {
			return m, nil
		}
		state, err := h.Read(ctx, t)
		m.entries = []movedEntry{{"", state}}
		return m, err
	}
	m.entries = []movedEntry{{"", State{Exists: true, Info: info}}}
	bytes, recordable := int64(0), true
	w := safefs.Walk{FS: h.cfg.FS, Ctx: ctx, Tool: call.Tool, Depth: safefs.MaxDepth}
	// The walk continues if the folder cannot be recorded, because it may contain a closed place.
	w.Visit = func(e safefs.Entry) error {
		if e.IsDir() && e.Name() == ".git" || safefs.IsSpecial(e.Type()) {
			recordable = false // the inside of .git is not walked
		}
		if !recordable {
			return nil
		}
		state, err := m.read(ctx, e, &bytes)
		if recordable = err == nil; recordable {
			m.entries = append(m.entries, movedEntry{filepath.FromSlash(e.Rel), state})
		}
		return nil // entries that cannot be recorded are moved too
	}
	if err := w.Run(t); err != nil {
		return m, err
	}
	if w.SkippedCount > 0 {
		return m, &toolkit.CallError{
			Type: toolspec.SecurityError, Message: t.DisplayPath +
				" holds a place that is closed to every tool, so it was not moved",
			Suggestion: "Move what else is in it.",
		}
	}
	if w.Incomplete {
		return m, toolkit.UserError(t.DisplayPath+" has too many entries or levels to check, so it was not moved",
			"Move smaller parts of it.")
	}
	if !recordable {
		m.entries = nil
	}
	return m, nil
}

func (m *Move) read(ctx context.Context, e safefs.Entry, bytes *int64) (State, error) {
	info, err := e.Info()
	if err != nil {
		return State{}, err
	}
	if *bytes += info.Size(); *bytes > maxMovedBytes || len(m.entries) >= maxMovedFiles {
		return State{}, errTooMuch
	}
	return m.h.Read(ctx, safefs.Target{
		Real: e.Real, DisplayPath: m.from.DisplayPath + "/" + e.Rel, Workspace: m.from.Workspace, Place: e.Place,
		NoFollow: true,
	})
}

// Undoable reports whether the move can be undone.
func (m Move) Undoable() bool { return len(m.entries) > 0 }

// Record stores the rows that undo needs. A nil to means a removal. Call Record before the move.
func (m Move) Record(ctx context.Context, call toolspec.Call, to *safefs.Target) error {
	for _, e := range m.entries {
		if err := m.h.record(ctx, call, e.at(m.from), e.state, Edit{Remove: true}); err != nil {
			return err
		}
	}
	if to == nil {
		return nil
	}
	for _, e := range m.entries {
		edit := Edit{Content: e.state.Content, Mode: e.state.Mode()}
		if err := m.h.record(ctx, call, e.at(*to), State{}, edit); err != nil {
			return err
		}
	}
	return nil
}

// Announce notifies the watcher of the recorded entries. A nil to means a removal. Call Announce after the move.
func (m Move) Announce(to *safefs.Target) {
	for _, e := range m.entries {
		m.h.cfg.Watcher.Hold(e.at(m.from).Real)(e.state.Hash(), "")
		if to != nil {
			m.h.cfg.Watcher.Hold(e.at(*to).Real)("", e.state.Hash())
		}
	}
}

func (e movedEntry) at(t safefs.Target) safefs.Target {
	t.Real = filepath.Join(t.Real, e.rel)
	return t
}

// Lock blocks Change and other calls of Lock for the path of t until release is called.
func (h *History) Lock(t safefs.Target) (release func()) { return h.locks.lock(t.Real) }
