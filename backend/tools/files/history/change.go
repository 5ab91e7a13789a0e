// Package history changes files in one step and records each change, so that it can be shown and
// undone.
//
// Before a change, both contents are stored as blobs and a row is written: when the process ends in
// between, the row names a file that is as before, and there is nothing to undo. The new content
// then replaces the file by a rename. A file is not replaced unless the conversation knows its
// present content.
//
// Errors that the caller can act on are *toolkit.CallError.
package history

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/dustin/go-humanize"

	"sextant/backend/store/blobs"
	"sextant/backend/toolkit"
	"sextant/backend/tools/files/safefs"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// maxContent bounds a file that is changed: its content is stored so that the change can be undone.
const maxContent = 16 << 20

// Blobs stores contents; *blobs.Store implements it.
type Blobs interface {
	Put(r io.Reader) (id string, err error)
	Open(id string) (io.ReadSeekCloser, blobs.Info, error)
}

// Log stores the rows of changes; *sqlite.Store implements it.
type Log interface {
	AddFileChange(ctx context.Context, c wire.FileChange) error
	// FileChanges returns the changes of a turn or of a call, whichever is not "", oldest first;
	// without either, those of the conversation's last call that changed files. An owner that is not
	// "" restricts them to its own.
	FileChanges(ctx context.Context, conversation, owner, turn, call string) ([]wire.FileChange, error)
}

// Watcher is notified of every change of a file; *snapshot.Watcher implements it.
type Watcher interface {
	// Hold keeps others from comparing the file until done is called with the hashes of what it held
	// before and holds now, as in wire.FileChange.
	Hold(file string) (done func(before, after string))
	// Settled waits until the changes of commands that were stopped shortly before are recorded.
	Settled(ctx context.Context)
}

type noWatcher struct{}

func (noWatcher) Hold(string) func(before, after string) { return func(string, string) {} }
func (noWatcher) Settled(context.Context)                {}

// Config is what a History needs. Watcher may be nil; Now defaults to time.Now.
type Config struct {
	FS      *safefs.FS
	Blobs   Blobs
	Log     Log
	Watcher Watcher
	Now     func() time.Time
}

// History makes and undoes changes of files. Safe for concurrent use.
type History struct {
	cfg   Config
	known knowledge
	locks locks
}

// New returns a History.
func New(cfg Config) *History {
	if cfg.Watcher == nil {
		cfg.Watcher = noWatcher{}
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &History{cfg: cfg}
}

// State is the file, folder or link at a target at one moment. The content of a link is where it leads; folders, pipes,
// sockets and devices have none.
type State struct {
	Exists  bool
	Content []byte
	Info    fs.FileInfo
}

// Hash identifies the content as wire.FileChange does.
func (s State) Hash() string {
	switch {
	case !s.Exists:
		return ""
	case s.Info.IsDir():
		return wire.FolderContent
	case safefs.Special(s.Info.Mode()):
		return wire.UnknownContent
	}
	return HashOf(s.Content)
}

// Mode is the type and the permissions, 0 for nothing.
func (s State) Mode() fs.FileMode {
	if !s.Exists {
		return 0
	}
	return s.Info.Mode().Type() | s.Info.Mode().Perm()
}

// HashOf returns the hash of a content: SHA-256 in hexadecimal.
func HashOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// Edit is what a change leaves at a target. A Mode of 0 keeps the type and permissions of the file; a new file gets
// 0666 without the bits of the umask.
type Edit struct {
	Remove  bool
	Content []byte
	Mode    fs.FileMode
}

func (e Edit) hash() string {
	switch {
	case e.Remove:
		return ""
	case e.Mode.IsDir():
		return wire.FolderContent
	}
	return HashOf(e.Content)
}

// Change replaces what lies at t by what edit returns, in one step, and records it. When edit fails
// or returns what is there already, nothing changes and changed is false.
func (h *History) Change(
	ctx context.Context, call toolspec.Call, t safefs.Target, edit func(State) (Edit, error),
) (changed bool, err error) {
	defer h.locks.lock(t.Real)()
	done := h.cfg.Watcher.Hold(t.Real)
	before, after := "", ""
	defer func() { done(before, after) }()
	now, err := h.Read(ctx, t)
	if err != nil {
		return false, err
	}
	to, err := edit(now)
	if err != nil {
		return false, err
	}
	sameMode := to.Mode == 0 || to.Mode == now.Mode()
	if to.Remove == !now.Exists && bytes.Equal(to.Content, now.Content) && sameMode {
		return false, nil
	}
	if len(to.Content) > maxContent {
		return false, toolkit.UserError(fmt.Sprintf("%s would be larger than %s", t.Shown, humanize.IBytes(maxContent)),
			"Write it in parts, to several files.")
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	dir, err := h.OpenParent(t)
	if err != nil {
		return false, err
	}
	defer func() { _ = dir.Close() }()
	if err := h.record(ctx, call, t, now, to); err != nil {
		return false, err
	}
	if to.Remove {
		err = h.remove(dir, t, now)
	} else {
		err = h.replace(dir, t, now, to)
	}
	if err != nil {
		return false, err
	}
	before, after = now.Hash(), to.hash()
	h.wrote(call, dir, t, to)
	return true, nil
}

// Read returns what lies at t; a missing file is no error.
func (h *History) Read(ctx context.Context, t safefs.Target) (State, error) {
	info, err := h.cfg.FS.Lstat(t)
	if errors.Is(err, fs.ErrNotExist) {
		return State{}, nil
	}
	if err == nil && t.NoFollow && !info.Mode().IsRegular() {
		return h.readOther(t, info)
	}
	f, info, err := h.cfg.FS.OpenFile(t)
	if err != nil {
		return State{}, err
	}
	defer func() { _ = f.Close() }()
	content, err := io.ReadAll(io.LimitReader(toolkit.ContextReader(ctx, f), maxContent+1))
	if err != nil {
		return State{}, fmt.Errorf("reading %s: %w", t.Shown, err)
	}
	if len(content) > maxContent {
		return State{}, toolkit.UserError(fmt.Sprintf("%s is larger than %s, too large to be undone", t.Shown,
			humanize.IBytes(maxContent)),
			"Change it with bash.")
	}
	return State{true, content, info}, nil
}

// readOther returns what lies at a target that is not a regular file.
func (h *History) readOther(t safefs.Target, info fs.FileInfo) (State, error) {
	if info.Mode()&fs.ModeSymlink == 0 {
		return State{Exists: true, Info: info}, nil
	}
	dir, err := h.cfg.FS.OpenParent(t)
	if err != nil {
		return State{}, err
	}
	defer func() { _ = dir.Close() }()
	to, err := dir.Readlink(filepath.Base(t.Real))
	if err != nil {
		return State{}, h.cfg.FS.Explain(t, err)
	}
	return State{true, []byte(to), info}, nil
}

// record stores both contents and the row of a change before it is made.
func (h *History) record(ctx context.Context, call toolspec.Call, t safefs.Target, now State, to Edit) error {
	c := wire.FileChange{
		Tool: call.Tool, Call: call.ID, Turn: call.From.Turn, Conversation: call.From.Conversation,
		Owner: call.From.Owner(),
		Path:  t.Real, Time: h.cfg.Now(),
		Before: now.Hash(), After: to.hash(), Mode: uint32(now.Mode()), AfterMode: uint32(to.Mode),
	}
	for _, side := range []struct {
		hash, which string
		content     []byte
	}{{c.Before, "old", now.Content}, {c.After, "new", to.Content}} {
		if !isBlob(side.hash) {
			continue
		}
		if _, err := h.cfg.Blobs.Put(bytes.NewReader(side.content)); err != nil {
			return fmt.Errorf("storing the %s content of %s: %w", side.which, t.Shown, err)
		}
	}
	return h.cfg.Log.AddFileChange(ctx, c)
}

// isBlob reports whether a hash of a row names a stored content.
func isBlob(hash string) bool {
	return hash != "" && hash != wire.FolderContent && hash != wire.UnknownContent
}

// OpenParent returns a handle of the folder t lies in, which is created when it is missing. The
// caller closes it.
func (h *History) OpenParent(t safefs.Target) (*os.Root, error) {
	dir := filepath.Dir(t.Real)
	existing := dir
	for {
		info, err := os.Lstat(existing)
		if err == nil && !info.IsDir() {
			return nil, toolkit.UserError(existing+" is not a folder, so nothing can be written below it",
				"Send another path.")
		}
		if err == nil || filepath.Dir(existing) == existing {
			break
		}
		existing = filepath.Dir(existing)
	}
	if existing != dir {
		root, err := h.cfg.FS.OpenDir(t, existing)
		if err != nil {
			return nil, err
		}
		rel, err := filepath.Rel(existing, dir)
		if err == nil {
			err = root.MkdirAll(rel, 0o777)
		}
		_ = root.Close()
		if err != nil {
			return nil, h.cfg.FS.Explain(t, err)
		}
	}
	return h.cfg.FS.OpenDir(t, dir)
}

// wrote notes that the caller knows the file because it wrote it.
func (h *History) wrote(call toolspec.Call, dir *os.Root, t safefs.Target, to Edit) {
	info, err := dir.Lstat(filepath.Base(t.Real))
	if to.Remove || err != nil {
		h.known.forget(call.From.Owner(), t.Real)
		return
	}
	h.known.set(call.From.Owner(), t.Real, Stamp{info.Size(), info.ModTime(), HashOf(to.Content)})
}

// MarkKnown notes that the caller has read the file at t as s.
func (h *History) MarkKnown(call toolspec.Call, t safefs.Target, s Stamp) {
	h.known.set(call.From.Owner(), t.Real, s)
}

// RequireKnown returns an error when the caller does not know the present content of the file. A
// person is not checked: they know what they do.
func (h *History) RequireKnown(call toolspec.Call, t safefs.Target, now State) error {
	if !now.Exists || call.From.Caller == toolspec.CallerPerson {
		return nil
	}
	if _, ok := h.known.get(call.From.Owner(), t.Real); !ok {
		return toolkit.UserError(t.Shown+" exists and was not read before, so it was not replaced",
			"Call read_file with it first, then write it again; to change a part of it, call edit_file.")
	}
	return h.RequireUnchanged(call, t, now)
}

// RequireUnchanged returns an error when the file changed since the caller read or wrote it.
func (h *History) RequireUnchanged(call toolspec.Call, t safefs.Target, now State) error {
	s, ok := h.known.get(call.From.Owner(), t.Real)
	if !ok || now.Exists && s.Hash == now.Hash() {
		return nil
	}
	return toolkit.UserError(t.Shown+" has changed since it was read, so it was not written to",
		"Call read_file again and put the change into what it holds now.")
}
