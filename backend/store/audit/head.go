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
	"time"
)

// HeadFile is the name of the file in the data folder that says where the log ended.
const HeadFile = "audit-head.json"

// sealKey names the key of the seal.
const sealKey = "audit_seal"

// headPause is how long the head may be behind the log.
const headPause = time.Second

// Keys stores keys. A *secrets.Vault is one.
type Keys interface {
	Key(name string) (string, bool)
	SetKey(name, value string) error
}

// HeadKeeper keeps the head of a log: where it ended, outside of the database and sealed with a key. The hashes of the
// log do not show that its newest entries are gone; the head does, except those of the last second before a kill.
type HeadKeeper struct {
	Log  *Log
	File string
	Keys Keys
	// Failed is called with each error of Run.
	Failed func(error)
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
		next, err := k.save(context.WithoutCancel(ctx), h)
		if err != nil {
			k.Failed(err)
		} else {
			h = next
		}
		if ctx.Err() != nil {
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
	key, ok := k.Keys.Key(sealKey)
	if !ok {
		key = rand.Text()
		if err := k.Keys.SetKey(sealKey, key); err != nil {
			return before, err
		}
	}
	h := head{end: end{last.Seq, last.Hash, last.Time}, Lost: before.Lost}
	h.Seal = h.sealed(key)
	text, err := json.Marshal(h)
	if err != nil {
		return before, fmt.Errorf("saving where the audit log ends: %w", err)
	}
	temporary := k.File + ".new"
	if err := os.WriteFile(temporary, text, 0o600); err != nil {
		return before, fmt.Errorf("saving where the audit log ends: %w", err)
	}
	if err := os.Rename(temporary, k.File); err != nil {
		return before, fmt.Errorf("saving where the audit log ends: %w", err)
	}
	return h, nil
}

// read returns the head, or an empty one if there is no file. The error wraps ErrBroken if somebody else wrote it.
func (k HeadKeeper) read() (head, error) {
	text, err := os.ReadFile(k.File)
	if errors.Is(err, fs.ErrNotExist) {
		return head{}, nil
	}
	if err != nil {
		return head{}, fmt.Errorf("reading where the audit log ended: %w", err)
	}
	var h head
	key, ok := k.Keys.Key(sealKey)
	if err := json.Unmarshal(text, &h); err != nil || !ok || !hmac.Equal([]byte(h.sealed(key)), []byte(h.Seal)) {
		return head{}, fmt.Errorf("%w: %s, which says where it ended, does not have its seal", ErrBroken, HeadFile)
	}
	return h, nil
}

// Verify returns an error that wraps ErrBroken if entries at the end of the log are gone. Call it after Log.Verify.
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
