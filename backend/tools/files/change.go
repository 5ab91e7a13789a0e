package files

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// maxKept bounds a file that is changed: its content is kept so that it can be undone.
const maxKept = 16 << 20

// current is what lies at a target at the moment of a change.
type current struct {
	exists  bool
	content []byte
	info    fs.FileInfo
}

func (c current) hash() string {
	if !c.exists {
		return ""
	}
	return hashOf(c.content)
}

func hashOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// next is what is to lie there; gone removes it. mode is used for a file that is made anew, 0
// for the usual one.
type next struct {
	gone    bool
	content []byte
	mode    fs.FileMode
}

// change replaces what lies at a by what edit makes of it, in one step, and keeps the content
// before. Nothing is changed when edit fails or nothing would differ; changed is false then.
func (t *Tools) change(ctx context.Context, call toolspec.Call, a target, edit func(current) (next, error)) (changed bool, err error) {
	defer t.writes.hold(a.real)()
	now, err := t.now(ctx, a)
	if err != nil {
		return false, err
	}
	to, err := edit(now)
	if err != nil {
		return false, err
	}
	if to.gone == !now.exists && bytes.Equal(to.content, now.content) {
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
	t.wrote(call, root, a, to)
	return true, nil
}

// now reads the file at a whole; a missing one is no error.
func (t *Tools) now(ctx context.Context, a target) (current, error) {
	if _, err := t.look(a); errors.Is(err, fs.ErrNotExist) {
		return current{}, nil
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
	var err error
	if now.exists {
		c.Mode = uint32(now.info.Mode().Perm())
		if c.Before, err = t.cfg.Blobs.Put(bytes.NewReader(now.content)); err != nil {
			return fmt.Errorf("keeping %s as it was: %w", a.shown, err)
		}
	}
	if !to.gone {
		if c.After, err = t.cfg.Blobs.Put(bytes.NewReader(to.content)); err != nil {
			return fmt.Errorf("keeping %s as it will be: %w", a.shown, err)
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
// renamed, and the folder flushed.
func (t *Tools) replace(root *os.Root, a target, now current, to next) error {
	base := filepath.Base(a.real)
	temp := fmt.Sprintf(".%s.sextant-%s", cutName(base), strings.ToLower(rand.Text()[:10]))
	mode := fs.FileMode(0o666)
	if now.exists {
		mode = 0o600 // until it has the old file's
	}
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return t.cannot(a, err)
	}
	err = fill(f, now, to)
	if err == nil {
		err = unchanged(root, base, a, now)
	}
	if err == nil {
		err = root.Rename(temp, base)
	}
	if err != nil {
		_ = root.Remove(temp)
		return t.cannot(a, err)
	}
	return flush(root)
}

// cutName keeps the temporary name within what file systems take.
func cutName(name string) string { return strings.TrimSuffix(cutText(name, 100), "…") }

// fill writes and flushes the new file, with mode and owner of the old one.
func fill(f *os.File, now current, to next) error {
	_, err := f.Write(to.content)
	if err == nil && now.exists {
		err = errors.Join(keepOwner(f, now.info), f.Chmod(now.info.Mode().Perm()))
	}
	if err == nil && !now.exists && to.mode != 0 {
		err = f.Chmod(to.mode)
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
