package secrets

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
)

const (
	inKeychain = "keychain"
	inFile     = "file"
	indexFile  = "index.json"
	valuesFile = "values.json"
	// The prefixes separate the names of secrets from the names of Sextant's own keys.
	secretPrefix = "secret/"
	keyPrefix    = "key/"
)

// Close closes the vault's folder. Known values are still masked, but nothing can be stored any more.
func (v *Vault) Close() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.closed = true
	return v.folder.root.Close()
}

// refresh logs a failure. The caller must lock mu.
func (v *Vault) refresh() {
	if err := v.reloadIfChanged(); err != nil {
		v.cfg.Log.Warn("secrets could not be reloaded", "err", err)
	}
}

// The caller must lock mu.
func (v *Vault) reloadIfChanged() error {
	if v.closed {
		return nil
	}
	now, err := v.folder.stat(indexFile)
	if sameFile(now, v.indexInfo) && (err == nil || errors.Is(err, os.ErrNotExist)) {
		return nil
	}
	return v.reload()
}

func sameFile(a, b os.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size()
}

// The caller must lock mu.
func (v *Vault) reload() error {
	stamp, err := v.folder.stat(indexFile)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	read := index{Version: 1}
	if err := v.folder.readJSON(indexFile, &read); err != nil {
		return err
	}
	if read.Version > 1 {
		return errors.New("they were written by a newer version of Sextant")
	}
	if read.Secrets == nil {
		read.Secrets = map[string]Secret{}
	}
	if read.Keys == nil {
		read.Keys = map[string]string{}
	}
	stored := map[string]string{}
	if err := v.folder.readJSON(valuesFile, &stored); err != nil {
		return err
	}
	values := map[string]string{}
	load := func(name, storage string) {
		value, ok := stored[name]
		if storage == inKeychain {
			value, ok = v.readKeychain(name)
		}
		if ok {
			values[name] = value
		}
	}
	for name, s := range read.Secrets {
		load(secretPrefix+name, s.Storage)
	}
	for name, storage := range read.Keys {
		load(keyPrefix+name, storage)
	}
	v.index, v.values, v.indexInfo = read, values, stamp
	v.masker.Store(newMasker(values))
	return nil
}

func (v *Vault) readKeychain(name string) (string, bool) {
	if v.cfg.Keychain == nil {
		return "", false
	}
	value, err := v.cfg.Keychain.Get(name)
	if err != nil {
		v.cfg.Log.Warn("secret could not be read from the keychain", "name", name, "err", err)
	}
	return value, err == nil
}

// update runs change on the current state and writes the index, while other processes are locked out. After an error it
// reads the state from disk again. The caller must lock mu.
func (v *Vault) update(change func() error) error {
	unlock, err := v.folder.lock()
	if err != nil {
		return err
	}
	defer unlock()
	if err := v.reloadIfChanged(); err != nil {
		return err
	}
	before := v.index.storages()
	if err = change(); err == nil {
		err = v.folder.writeJSON(indexFile, v.index)
	}
	if err == nil {
		v.removeMoved(before)
	}
	// The state on disk is authoritative, even after a partial write.
	return errors.Join(err, v.reload())
}

// storages maps the stored name of each value to its storage.
func (ix index) storages() map[string]string {
	all := map[string]string{}
	for name, s := range ix.Secrets {
		all[secretPrefix+name] = s.Storage
	}
	for name, storage := range ix.Keys {
		all[keyPrefix+name] = storage
	}
	return all
}

// removeMoved removes the old value of each name whose storage has changed. The index must have been written: a value
// that is removed earlier is lost if the program ends between the two.
func (v *Vault) removeMoved(before map[string]string) {
	for name, storage := range v.index.storages() {
		old, ok := before[name]
		if !ok || old == storage {
			continue
		}
		if err := v.removeValue(name, old); err != nil {
			v.cfg.Log.Warn("the old value of a secret could not be removed", "name", name, "storage", old, "err", err)
		}
	}
}

// storeValue stores a value in the keychain, or in the file if that fails.
func (v *Vault) storeValue(name, value string) (storage string, err error) {
	if v.cfg.Keychain != nil {
		err = v.cfg.Keychain.Set(name, value)
		if err == nil {
			var stored string
			if stored, err = v.cfg.Keychain.Get(name); err == nil && stored != value {
				err = errors.New("it returned a different value")
			}
		}
		if err == nil {
			return inKeychain, nil
		}
		// A value may be too large for the keychain, or the keychain may be locked.
		v.cfg.Log.Warn("secret could not be stored in the keychain and is stored in the file", "name", name, "err", err)
	}
	if err := v.editValuesFile(func(values map[string]string) { values[name] = value }); err != nil {
		return "", err
	}
	return inFile, nil
}

func (v *Vault) removeValue(name, storage string) error {
	if storage == inKeychain {
		if v.cfg.Keychain == nil {
			// The person can still delete it with the keychain's own program.
			v.cfg.Log.Warn("a deleted secret remains in the keychain, which is not available", "name", name)
			return nil
		}
		return v.cfg.Keychain.Delete(name)
	}
	return v.editValuesFile(func(values map[string]string) { delete(values, name) })
}

func (v *Vault) editValuesFile(change func(map[string]string)) error {
	current := map[string]string{}
	if err := v.folder.readJSON(valuesFile, &current); err != nil {
		return err
	}
	next := maps.Clone(current)
	change(next)
	if maps.Equal(current, next) {
		return nil
	}
	return v.folder.writeJSON(valuesFile, next)
}

// Key returns one of Sextant's own keys, such as that of a model provider. It returns false if there is none or it
// cannot be read.
func (v *Vault) Key(name string) (string, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.refresh()
	if value, ok := v.values[keyPrefix+name]; ok || v.index.Keys[name] != "" {
		return value, ok
	}
	// The file of an older version remains until ImportKeyFile succeeds.
	text, err := v.folder.readFile(name)
	return string(text), err == nil && len(text) > 0
}

func (v *Vault) hasKey(name string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	_, ok := v.values[keyPrefix+name]
	return ok
}

// SetKey stores one of Sextant's own keys. An empty value deletes it.
func (v *Vault) SetKey(name, value string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	err := v.update(func() error {
		previous := v.index.Keys[name]
		if value == "" {
			delete(v.index.Keys, name)
			if previous == "" {
				return nil
			}
			return v.removeValue(keyPrefix+name, previous)
		}
		storage, err := v.storeValue(keyPrefix+name, value)
		if err != nil {
			return err
		}
		v.index.Keys[name] = storage
		return nil
	})
	if err != nil {
		return fmt.Errorf("storing the key %s: %w", name, err)
	}
	return nil
}

// ImportKeyFile moves a key from its own file in the vault's folder, where older versions stored it, into the vault. It
// removes the file after it has read the key back. After an error the file remains.
func (v *Vault) ImportKeyFile(name string) error {
	text, err := v.folder.readFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("importing the key %s: %w", name, err)
	}
	if !v.hasKey(name) && len(text) > 0 {
		if err := v.SetKey(name, string(text)); err != nil {
			return err
		}
		if stored, ok := v.Key(name); !v.hasKey(name) || !ok || stored != string(text) {
			return fmt.Errorf("importing the key %s: it could not be read back, so its file remains", name)
		}
	}
	if err := v.folder.remove(name); err != nil {
		return fmt.Errorf("importing the key %s: %w", name, err)
	}
	return nil
}

func encodeJSON(v any) ([]byte, error) {
	b, err := json.MarshalIndent(v, "", " ")
	return append(b, '\n'), err
}
