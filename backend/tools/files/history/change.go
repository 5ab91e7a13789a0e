// Package history changes files and records each change, so that it can be shown and undone.
//
// Before a change, it stores the old and the new content as blobs and writes a row. If the process ends before the file
// is replaced, the row describes a file that still has its old content, and there is nothing to undo. New content is
// written beside the file and renamed over it.
//
// Errors that the caller can correct are *toolkit.CallError.
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

// maxContent is the size of the largest file that can be changed, because the old content is stored for undo.
const maxContent = 16 << 20

// Blobs stores contents. The id of a content is its HashOf.
type Blobs interface {
	Put(r io.Reader) (id string, err error)
	Open(id string) (io.ReadSeekCloser, blobs.Info, error)
}

// ChangeLog stores the rows of changes.
type ChangeLog interface {
	AddFileChange(ctx context.Context, c wire.FileChange) error
	// FileChanges returns the changes of call, or of turn, or if both are "" of the conversation's last call that
	// changed files. The oldest comes first. A non-empty owner restricts the result to that owner's changes. The
	// changes of undo are left out unless call selects them.
	FileChanges(ctx context.Context, conversation, owner, turn, call string) ([]wire.FileChange, error)
}

// Watcher is notified of changes to files.
type Watcher interface {
	// Hold keeps the watcher from comparing the file until done is called. The arguments of done are the hashes of the
	// old and the new content, which are equal if nothing changed.
	Hold(file string) (done func(before, after string))
	// WaitSettled waits until the changes of stopped commands are recorded, or until a timeout of its own.
	WaitSettled(ctx context.Context)
}

type noWatcher struct{}

func (noWatcher) Hold(string) func(before, after string) { return func(string, string) {} }
func (noWatcher) WaitSettled(context.Context)            {}

// Config configures a History. Watcher may be nil; Now defaults to time.Now.
type Config struct {
	FS        *safefs.FS
	Blobs     Blobs
	ChangeLog ChangeLog
	Watcher   Watcher
	Now       func() time.Time
	// Known is the file that keeps which files programs have read after Close, or "" for none.
	Known string
}

// History makes and undoes changes to files. It is safe for concurrent use.
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
	h := &History{cfg: cfg}
	if cfg.Known != "" {
		// Without it, a file must be read once more before it is replaced.
		_ = h.known.load(cfg.Known)
	}
	return h
}

// Close saves which files programs have read, so that the next command may replace them.
func (h *History) Close() error {
	if h.cfg.Known == "" {
		return nil
	}
	return h.known.save(h.cfg.Known)
}

// State is the file, folder or link at a target at one moment. The Content of a link is the path it leads to. Folders,
// pipes, sockets and devices have no Content.
type State struct {
	Exists  bool
	Content []byte
	Info    fs.FileInfo
}

// Hash returns the hash that wire.FileChange uses for this content.
func (s State) Hash() string {
	switch {
	case !s.Exists:
		return ""
	case s.Info.IsDir():
		return wire.FolderContent
	case safefs.IsSpecial(s.Info.Mode()):
		return wire.UnknownContent
	}
	return HashOf(s.Content)
}

// Mode returns the type and the permissions, or 0 if nothing exists at the target.
func (s State) Mode() fs.FileMode {
	if !s.Exists {
		return 0
	}
	return s.Info.Mode().Type() | s.Info.Mode().Perm()
}

// HashOf returns the SHA-256 of content in hexadecimal.
func HashOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// Edit is the wanted state of a target. Mode contains the type and the permissions. If it is 0, an existing regular
// file keeps its permissions, and a new file gets 0666 minus the umask.
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

// Change replaces the file at t with the result of edit and records the change. It locks the file meanwhile. changed is
// false if the result equals the present state.
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
		return false, toolkit.UserError(fmt.Sprintf("%s would be larger than %s", t.DisplayPath,
			humanize.IBytes(maxContent)),
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

// Read returns the state at t. A missing file is not an error.
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
		return State{}, fmt.Errorf("reading %s: %w", t.DisplayPath, err)
	}
	if len(content) > maxContent {
		return State{}, toolkit.UserError(fmt.Sprintf("%s is larger than %s, too large to be undone", t.DisplayPath,
			humanize.IBytes(maxContent)),
			"Change it with bash.")
	}
	return State{true, content, info}, nil
}

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
			return fmt.Errorf("storing the %s content of %s: %w", side.which, t.DisplayPath, err)
		}
	}
	return h.cfg.ChangeLog.AddFileChange(ctx, c)
}

func isBlob(hash string) bool {
	return hash != "" && hash != wire.FolderContent && hash != wire.UnknownContent
}

// OpenParent returns a handle of the folder that contains t and creates missing folders. The caller closes the handle.
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

func (h *History) wrote(call toolspec.Call, dir *os.Root, t safefs.Target, to Edit) {
	info, err := dir.Lstat(filepath.Base(t.Real))
	if to.Remove || err != nil {
		h.known.forget(call.From, t.Real)
		return
	}
	h.known.set(call.From, t.Real, Stamp{info.Size(), info.ModTime(), HashOf(to.Content)})
}

// ForgetConversation forgets which files a conversation has read.
func (h *History) ForgetConversation(id string) { h.known.forgetConversation(id) }

// MarkKnown records that the caller has read the file at t as s.
func (h *History) MarkKnown(call toolspec.Call, t safefs.Target, s Stamp) {
	h.known.set(call.From, t.Real, s)
}

// RequireKnown returns an error if the caller does not know the present content of the file. A missing file and a
// person's call are not checked.
func (h *History) RequireKnown(call toolspec.Call, t safefs.Target, now State) error {
	if !now.Exists || call.From.Caller == toolspec.CallerPerson {
		return nil
	}
	if _, ok := h.known.get(call.From, t.Real); !ok {
		return toolkit.UserError(t.DisplayPath+" exists and was not read before, so it was not replaced",
			"Call read_file with it first, then write it again; to change a part of it, call edit_file.")
	}
	return h.RequireUnchanged(call, t, now)
}

// RequireUnchanged returns an error if the file changed after the caller last read or wrote it, and nil if the caller
// never did.
func (h *History) RequireUnchanged(call toolspec.Call, t safefs.Target, now State) error {
	s, ok := h.known.get(call.From, t.Real)
	if !ok || now.Exists && s.Hash == now.Hash() {
		return nil
	}
	return toolkit.UserError(t.DisplayPath+" has changed since it was read, so it was not written to",
		"Call read_file again and put the change into what it holds now.")
}
