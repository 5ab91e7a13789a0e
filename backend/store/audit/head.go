package audit

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"sextant/backend/store/wholefile"
)

// The files of the data folder that say where the log ended: the head, and the key of its seal.
const (
	headFile = "audit-head.json"
	keyFile  = "audit-head.key"
)

// headPause is how long the head may be behind the log.
const headPause = time.Second

// HeadKeeper keeps the head of a log: where it ended, outside of the database and sealed with a key. The hashes of the
// log do not show that its newest entries are gone; the head does, except those of the last second before a kill. It
// does not stop a program that can read the key, that deletes both files, or that puts back older ones.
type HeadKeeper struct {
	Log *Log
	// Folder is the data folder.
	Folder string
	// Failed is called with each error of Run.
	Failed func(error)
}

// ResetHead makes the next end of the log the first that is known. Call it after the database was replaced.
func ResetHead(folder string) error {
	k := HeadKeeper{Folder: folder}
	key, err := k.key(false)
	if err != nil || key == "" {
		return err
	}
	return k.write(head{}, key)
}

// end is a place in the log.
type end struct {
	Seq  int64     `json:"seq"`
	Hash string    `json:"hash"`
	Time time.Time `json:"time"`
}

type head struct {
	end
	// Lost is where the log once ended, if that entry is no longer in it.
	Lost *end   `json:"lost,omitempty"`
	Seal string `json:"seal"`
}

func (h head) sealed(key string) string {
	mac := hmac.New(sha256.New, []byte(key))
	fmt.Fprintf(mac, "%d %s %s", h.Seq, h.Hash, h.Time.Format(time.RFC3339Nano))
	if h.Lost != nil {
		fmt.Fprintf(mac, " %d %s %s", h.Lost.Seq, h.Lost.Hash, h.Lost.Time.Format(time.RFC3339Nano))
	}
	return hex.EncodeToString(mac.Sum(nil))
}

// Run keeps the head until ctx ends. It leaves a head without its seal as it is.
func (k HeadKeeper) Run(ctx context.Context) {
	h, err := k.read()
	if err != nil {
		k.Failed(err)
		return
	}
	for {
		isLast := ctx.Err() != nil
		next, err := k.save(context.WithoutCancel(ctx), h)
		if err != nil {
			k.Failed(err)
		} else {
			h = next
		}
		if isLast {
			return
		}
		select {
		case <-k.Log.written:
			select {
			case <-time.After(headPause):
			case <-ctx.Done():
			}
		case <-ctx.Done():
		}
	}
}

// check returns the head with Lost set if the log does not contain its end.
func (k HeadKeeper) check(ctx context.Context, h head) (head, error) {
	if h.Seq == 0 || h.Lost != nil {
		return h, nil
	}
	now, err := k.Log.store.AuditEnd(ctx, h.Seq)
	if err == nil && now.Hash != h.Hash {
		h.Lost = &end{h.Seq, h.Hash, h.Time}
	}
	return h, err
}

// save writes where the log ends now, if that is not where it ended before.
func (k HeadKeeper) save(ctx context.Context, before head) (head, error) {
	last, err := k.Log.store.AuditEnd(ctx, 0)
	if err != nil || last.Hash == before.Hash {
		return before, err
	}
	if before, err = k.check(ctx, before); err != nil {
		return before, err
	}
	key, err := k.key(true)
	if err != nil {
		return before, err
	}
	h := head{end: end{last.Seq, last.Hash, last.Time}, Lost: before.Lost}
	return h, k.write(h, key)
}

func (k HeadKeeper) write(h head, key string) error {
	h.Seal = h.sealed(key)
	text, err := json.Marshal(h)
	if err != nil {
		return fmt.Errorf("saving where the audit log ends: %w", err)
	}
	return writeFile(filepath.Join(k.Folder, headFile), text)
}

// key returns the key of the seal, "" if there is none. With create it makes one.
func (k HeadKeeper) key(create bool) (string, error) {
	file := filepath.Join(k.Folder, keyFile)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) && create {
		text = []byte(rand.Text())
		return string(text), writeFile(file, text)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("reading the key of the audit log: %w", err)
	}
	return string(text), nil
}

func writeFile(file string, text []byte) error {
	if err := wholefile.Write(file, text, 0o600); err != nil {
		return fmt.Errorf("saving where the audit log ends: %w", err)
	}
	return nil
}

// read returns the head, or an empty one if none was written since ResetHead. The error wraps ErrBroken if the file is
// missing or somebody else wrote it.
func (k HeadKeeper) read() (head, error) {
	key, err := k.key(false)
	if err != nil {
		return head{}, err
	}
	text, err := os.ReadFile(filepath.Join(k.Folder, headFile))
	switch {
	case errors.Is(err, fs.ErrNotExist) && key == "":
		return head{}, nil
	case errors.Is(err, fs.ErrNotExist):
		return head{}, fmt.Errorf("%w: where it ended is not known, because %s is missing", ErrBroken, headFile)
	case err != nil:
		return head{}, fmt.Errorf("reading where the audit log ended: %w", err)
	}
	var h head
	if err := json.Unmarshal(text, &h); err != nil || !hmac.Equal([]byte(h.sealed(key)), []byte(h.Seal)) {
		return head{}, fmt.Errorf("%w: where it ended is not known, because %s lacks its seal", ErrBroken, headFile)
	}
	return h, nil
}

// Verify returns an error that wraps ErrBroken if entries at the end of the log are gone, or if that cannot be known.
// Call it after Log.Verify.
func (k HeadKeeper) Verify(ctx context.Context) error {
	h, err := k.read()
	if err == nil {
		h, err = k.check(ctx, h)
	}
	if err != nil || h.Lost == nil {
		return err
	}
	return fmt.Errorf("%w: its newest entries are gone. It ended with entry %d at %s", ErrBroken,
		h.Lost.Seq, h.Lost.Time.Local().Format("2006-01-02 15:04:05"))
}
