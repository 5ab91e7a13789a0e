package secrets

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
)

// Where a value is kept, and the names of our own files.
const (
	keptInKeychain = "keychain"
	keptInFile     = "file"
	indexFile      = "index.json"
	valuesFile     = "values.json"
	// Secrets and our own keys have names that never meet.
	secretPrefix = "secret/"
	keyPrefix    = "key/"
)

// Close lets go of the folder. What was read stays masked; nothing can be kept any more.
func (v *Vault) Close() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.closed = true
	return v.file.root.Close()
}

// fresh reads the vault again when another process changed it. The caller holds mu.
func (v *Vault) fresh() {
	if err := v.again(); err != nil {
		v.cfg.Log.Warn("the secrets cannot be read again", "error", err)
	}
}

// again is fresh that tells its error. The caller holds mu.
func (v *Vault) again() error {
	if v.closed {
		return nil
	}
	now, err := v.file.stat(indexFile)
	if same(now, v.stamp) && (err == nil || errors.Is(err, os.ErrNotExist)) {
		return nil
	}
	return v.reload()
}

func same(a, b os.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size()
}

// reload reads index and values. The caller holds mu.
func (v *Vault) reload() error {
	stamp, err := v.file.stat(indexFile)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	read := index{Version: 1}
	if err := v.file.read(indexFile, &read); err != nil {
		return err
	}
	if read.Version > 1 {
		return errors.New("a newer Sextant wrote them")
	}
	if read.Secrets == nil {
		read.Secrets = map[string]Secret{}
	}
	if read.Keys == nil {
		read.Keys = map[string]string{}
	}
	kept := map[string]string{}
	if err := v.file.read(valuesFile, &kept); err != nil {
		return err
	}
	values := map[string]string{}
	take := func(name, where string) {
		value, ok := kept[name]
		if where == keptInKeychain {
			value, ok = v.fromKeychain(name)
		}
		if ok {
			values[name] = value
		}
	}
	for name, s := range read.Secrets {
		take(secretPrefix+name, s.Kept)
	}
	for name, where := range read.Keys {
		take(keyPrefix+name, where)
	}
	v.index, v.values, v.stamp = read, values, stamp
	v.mask.Store(newMasker(values))
	return nil
}

func (v *Vault) fromKeychain(name string) (string, bool) {
	if v.cfg.Keychain == nil {
		return "", false
	}
	value, err := v.cfg.Keychain.Get(name)
	if err != nil {
		v.cfg.Log.Warn("the keychain does not give a secret", "name", name, "error", err)
	}
	return value, err == nil
}

// change runs do on the newest state and writes the index, alone among processes. On an error the
// state in memory is what is on disk. The caller holds mu.
func (v *Vault) change(do func() error) error {
	unlock, err := v.file.lock()
	if err != nil {
		return err
	}
	defer unlock()
	if err := v.again(); err != nil {
		return err
	}
	if err = do(); err == nil {
		err = v.file.write(indexFile, v.index)
	}
	// What was written is what holds, also where only a part of it was.
	return errors.Join(err, v.reload())
}

// keep writes a value to where new ones go, and takes it away from where it was before.
func (v *Vault) keep(name, value, before string) (where string, err error) {
	if v.cfg.Keychain != nil {
		err = v.cfg.Keychain.Set(name, value)
		if err == nil {
			var back string
			if back, err = v.cfg.Keychain.Get(name); err == nil && back != value {
				err = errors.New("it gives back something else")
			}
		}
		if err == nil {
			if before == keptInFile {
				return keptInKeychain, v.drop(name, keptInFile)
			}
			return keptInKeychain, nil
		}
		// A value may be too large for a keychain, and a locked one takes none.
		v.cfg.Log.Warn("the keychain does not take a secret, so it is kept in the file", "name", name, "error", err)
	}
	if err := v.edit(func(kept map[string]string) { kept[name] = value }); err != nil {
		return "", err
	}
	return keptInFile, nil
}

// drop takes a value away. One that is gone already is no error.
func (v *Vault) drop(name, where string) error {
	if where == keptInKeychain {
		if v.cfg.Keychain == nil {
			// Who deletes it wants it gone from here; the keychain's own program deletes it there.
			v.cfg.Log.Warn("a deleted secret stays in the keychain, which does not answer", "name", name)
			return nil
		}
		return v.cfg.Keychain.Delete(name)
	}
	return v.edit(func(kept map[string]string) { delete(kept, name) })
}

func (v *Vault) edit(change func(map[string]string)) error {
	kept := map[string]string{}
	if err := v.file.read(valuesFile, &kept); err != nil {
		return err
	}
	next := maps.Clone(kept)
	change(next)
	if maps.Equal(kept, next) {
		return nil
	}
	return v.file.write(valuesFile, next)
}

// Key is one of our own keys (of a model provider, of a search), false when there is none.
func (v *Vault) Key(name string) (string, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.fresh()
	if value, ok := v.values[keyPrefix+name]; ok || v.index.Keys[name] != "" {
		return value, ok
	}
	// One that could not be moved yet still holds.
	old, err := v.file.text(name)
	return string(old), err == nil && len(old) > 0
}

func (v *Vault) hasKey(name string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	_, ok := v.values[keyPrefix+name]
	return ok
}

// SetKey keeps one of our own keys; an empty value forgets it.
func (v *Vault) SetKey(name, value string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	err := v.change(func() error {
		before := v.index.Keys[name]
		if value == "" {
			delete(v.index.Keys, name)
			if before == "" {
				return nil
			}
			return v.drop(keyPrefix+name, before)
		}
		where, err := v.keep(keyPrefix+name, value, before)
		if err != nil {
			return err
		}
		v.index.Keys[name] = where
		return nil
	})
	if err != nil {
		return fmt.Errorf("keeping the key %s: %w", name, err)
	}
	return nil
}

// MoveKey takes over a key from a file of its own in the vault's folder, as it was kept before
// there was a vault: read, kept, read back, and only then is the file removed. Without such a file
// nothing happens; a key that is kept already wins and the file goes. On an error the file stays.
func (v *Vault) MoveKey(name string) error {
	text, err := v.file.text(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("moving the key %s: %w", name, err)
	}
	if !v.hasKey(name) && len(text) > 0 {
		if err := v.SetKey(name, string(text)); err != nil {
			return err
		}
		if back, ok := v.Key(name); !v.hasKey(name) || !ok || back != string(text) {
			return fmt.Errorf("moving the key %s: it is not there again, so the old file stays", name)
		}
	}
	if err := v.file.remove(name); err != nil {
		return fmt.Errorf("moving the key %s: %w", name, err)
	}
	return nil
}

// encode is v as it stands in a file.
func encode(v any) ([]byte, error) {
	b, err := json.MarshalIndent(v, "", " ")
	return append(b, '\n'), err
}
