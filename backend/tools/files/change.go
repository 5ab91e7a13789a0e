package files

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
	"strings"

	"sextant/shared/clip"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// maxKept bounds a file that is changed: its content is kept so that it can be undone.
const maxKept = 16 << 20

// current is what lies at a target at the moment of a change. The content of a link is where it
// leads; folders, pipes, sockets and devices have none.
type current struct {
	exists  bool
	content []byte
	info    fs.FileInfo
}

func (c current) hash() string {
	switch {
	case !c.exists:
		return ""
	case c.info.IsDir():
		return wire.KeptFolder
	case special(c.info.Mode()):
		return wire.NotKept
	}
	return hashOf(c.content)
}

// mode is the kind and the permissions, 0 for nothing.
func (c current) mode() fs.FileMode {
	if !c.exists {
		return 0
	}
	return c.info.Mode().Type() | c.info.Mode().Perm()
}

func hashOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// next is what is to lie there; gone removes it. mode is its kind and permissions, 0 those it has
// or, of a file that is made anew, the usual ones.
type next struct {
	gone    bool
	content []byte
	mode    fs.FileMode
}

func (n next) hash() string {
	switch {
	case n.gone:
		return ""
	case n.mode.IsDir():
		return wire.KeptFolder
	}
	return hashOf(n.content)
}

// change replaces what lies at a by what edit makes of it, in one step, and keeps the content
// before. Nothing is changed when edit fails or nothing would differ; changed is false then.
func (t *Tools) change(ctx context.Context, call toolspec.Call, a target, edit func(current) (next, error)) (changed bool, err error) {
	defer t.writes.hold(a.real)()
	done := t.cfg.Watched.Hold(a.real)
	before, after := "", ""
	defer func() { done(before, after) }()
	now, err := t.now(ctx, a)
	if err != nil {
		return false, err
	}
	to, err := edit(now)
	if err != nil {
		return false, err
	}
	if to.gone == !now.exists && bytes.Equal(to.content, now.content) && (to.mode == 0 || to.mode == now.mode()) {
		return false, nil
	}
	if len(to.content) > maxKept {
		return false, &fault{toolspec.UserError, fmt.Sprintf("%s would be larger than %s", a.shown, sized(maxKept)), "Write it in parts, to several files."}
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	root, err := t.makeDir(a)
	if err != nil {
		return false, err
	}
	defer func() { _ = root.Close() }()
	if err := t.keep(ctx, call, a, now, to); err != nil {
		return false, err
	}
	if to.gone {
		err = t.remove(root, a, now)
	} else {
		err = t.replace(root, a, now, to)
	}
	if err != nil {
		return false, err
	}
	before, after = now.hash(), to.hash()
	t.wrote(call, root, a, to)
	return true, nil
}

// now reads the file at a whole; a missing one is no error.
func (t *Tools) now(ctx context.Context, a target) (current, error) {
	there, err := t.look(a)
	if errors.Is(err, fs.ErrNotExist) {
		return current{}, nil
	}
	if err == nil && a.self && !there.Mode().IsRegular() {
		return t.nowOther(a, there)
	}
	f, info, err := t.openFile(a)
	if err != nil {
		return current{}, err
	}
	defer func() { _ = f.Close() }()
	content, err := io.ReadAll(io.LimitReader(obeying{ctx, f}, maxKept+1))
	if err != nil {
		return current{}, fmt.Errorf("reading %s: %w", a.shown, err)
	}
	if len(content) > maxKept {
		return current{}, &fault{
			toolspec.UserError, fmt.Sprintf("%s is larger than %s, more than is kept for undo", a.shown, sized(maxKept)), "Change it with bash.",
		}
	}
	return current{true, content, info}, nil
}

// keep stores both contents and a row before the change is made: when the process ends in
// between, the row tells of a file that is as before, and there is nothing to undo.
func (t *Tools) keep(ctx context.Context, call toolspec.Call, a target, now current, to next) error {
	c := wire.FileChange{
		Tool: call.Tool, Call: call.ID, Turn: call.From.Turn, Conversation: call.From.Conversation, Owner: owner(call),
		Path: a.real, Time: t.cfg.Now(),
	}
	c.Before, c.After, c.Mode, c.AfterMode = now.hash(), to.hash(), uint32(now.mode()), uint32(to.mode)
	for _, side := range []struct {
		id, as  string
		content []byte
	}{{c.Before, "was", now.content}, {c.After, "will be", to.content}} {
		if side.id == "" || side.id == wire.KeptFolder || side.id == wire.NotKept {
			continue
		}
		if _, err := t.cfg.Blobs.Put(bytes.NewReader(side.content)); err != nil {
			return fmt.Errorf("keeping %s as it %s: %w", a.shown, side.as, err)
		}
	}
	return t.cfg.Changes.AddFileChange(ctx, c)
}

// makeDir is a handle of the folder a is to lie in, made when it is missing.
func (t *Tools) makeDir(a target) (*os.Root, error) {
	dir := filepath.Dir(a.real)
	there := dir
	for {
		info, err := os.Lstat(there)
		if err == nil && !info.IsDir() {
			return nil, &fault{toolspec.UserError, there + " is no folder, so nothing can be written below it", "Send another path."}
		}
		if err == nil || filepath.Dir(there) == there {
			break
		}
		there = filepath.Dir(there)
	}
	if there != dir {
		root, err := t.openDir(a, there)
		if err != nil {
			return nil, err
		}
		rel, err := filepath.Rel(there, dir)
		if err == nil {
			err = root.MkdirAll(rel, 0o777)
		}
		_ = root.Close()
		if err != nil {
			return nil, t.cannot(a, err)
		}
	}
	return t.openDir(a, dir)
}

// replace puts the new content under the file's name in one step: written beside it, flushed,
// renamed, and the folder flushed. Only where a folder stands in a file's place, or is to, there
// are two.
func (t *Tools) replace(root *os.Root, a target, now current, to next) error {
	base := filepath.Base(a.real)
	temp := tempName(base)
	err := write(root, temp, now, to)
	if err == nil {
		err = unchanged(root, base, a, now)
	}
	if err == nil && now.exists && now.info.IsDir() != to.mode.IsDir() {
		err = root.Remove(base)
	}
	if err == nil && now.exists && now.info.IsDir() && to.mode.IsDir() {
		err = errors.Join(chmod(root, base, to.mode), root.Remove(temp))
	} else if err == nil {
		err = root.Rename(temp, base)
	}
	if err != nil {
		_ = root.Remove(temp)
		return t.cannot(a, err)
	}
	return flush(root)
}

// write makes what is to be under a temporary name.
func write(root *os.Root, temp string, now current, to next) error {
	switch {
	case to.mode.IsDir():
		if err := root.Mkdir(temp, 0o700); err != nil {
			return err
		}
		return chmod(root, temp, to.mode)
	case to.mode&fs.ModeSymlink != 0:
		return root.Symlink(string(to.content), temp)
	}
	mode := fs.FileMode(0o666)
	if now.exists || to.mode != 0 {
		mode = 0o600 // until it has its own
	}
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	return fill(f, now, to)
}

// chmod sets the permissions of a folder.
func chmod(root *os.Root, name string, mode fs.FileMode) error {
	d, err := root.OpenFile(name, os.O_RDONLY|openCarefully, 0)
	if err != nil {
		return err
	}
	return errors.Join(d.Chmod(mode.Perm()), d.Close())
}

// cutName keeps the temporary name within what file systems take.
func cutName(name string) string { return strings.TrimSuffix(clip.Bytes(name, 100), "…") }

// fill writes and flushes the new file, with the owner of the old one and, when no other is
// wanted, its mode.
func fill(f *os.File, now current, to next) error {
	_, err := f.Write(to.content)
	mode := to.mode
	if now.exists && now.info.Mode().IsRegular() {
		if mode == 0 {
			mode = now.mode()
		}
		if err == nil {
			err = keepOwner(f, now.info)
		}
	}
	if err == nil && mode != 0 {
		err = f.Chmod(mode.Perm())
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// unchanged is the fault of a file that was changed while its new content was made.
func unchanged(root *os.Root, base string, a target, now current) error {
	info, err := root.Lstat(base)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !now.exists:
		return nil
	case err == nil && now.exists && os.SameFile(info, now.info) && info.Size() == now.info.Size() && info.ModTime().Equal(now.info.ModTime()):
		return nil
	}
	return &fault{toolspec.UserError, a.shown + " was changed by something else at this very moment, so it was left as it is", "Call read_file, then try again."}
}

func (t *Tools) remove(root *os.Root, a target, now current) error {
	base := filepath.Base(a.real)
	if err := unchanged(root, base, a, now); err != nil {
		return err
	}
	if err := root.Remove(base); err != nil {
		return t.cannot(a, err)
	}
	return flush(root)
}

// flush makes what happened to a folder's names last.
func flush(root *os.Root) error {
	d, err := root.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(syncFolder(d), d.Close())
}

// wrote notes what the conversation knows of the file by having written it.
func (t *Tools) wrote(call toolspec.Call, root *os.Root, a target, to next) {
	info, err := root.Lstat(filepath.Base(a.real))
	if to.gone || err != nil {
		t.seen.forget(owner(call), a.real)
		return
	}
	t.seen.saw(owner(call), a.real, stamp{info.Size(), info.ModTime(), hashOf(to.content)})
}

// fresh is the fault of replacing a file whose present content the conversation does not know.
// A person who gives the call by hand knows what they do.
func (t *Tools) fresh(call toolspec.Call, a target, now current) error {
	if !now.exists || call.From.Caller == toolspec.CallerPerson {
		return nil
	}
	known, ok := t.seen.known(owner(call), a.real)
	if !ok {
		return &fault{
			toolspec.UserError, a.shown + " exists and was not read before, so it was not replaced",
			"Call read_file with it first, then write it again; to change a part of it, call edit_file.",
		}
	}
	return changedSince(a, now, known)
}

// changedSince is the fault of a file that is not as it was last seen.
func changedSince(a target, now current, known stamp) error {
	if now.exists && known.hash == now.hash() {
		return nil
	}
	return &fault{
		toolspec.UserError, a.shown + " has changed since it was read, so it was not written to",
		"Call read_file again and put the change into what it holds now.",
	}
}
