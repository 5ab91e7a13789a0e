// Package secrets stores the person's secrets and inserts them where they are used.
//
// A secret has a name and is bound to one host. Models, tools and people write a reference to it, {{secret:name}}. The
// value is inserted at the sink: the outgoing request, or the field that is typed into. Values are stored in the
// desktop's keychain if it is available and accepts them, otherwise in a file that only its owner can read. The vault
// also stores Sextant's own keys, for model and search providers, under names that references cannot reach.
//
// Mask replaces values in text, also in common encodings or truncated. The package is not the policy, which decides who
// may use a secret, and it cannot mask values that it does not know.
package secrets

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// Place is a part of a request, a page or an environment where a secret may be used.
type Place string

// The places of a secret. PlaceQuery is the path and query of a URL, PlaceField a field of a page, and PlaceEnv the
// environment of an MCP server, for secrets that are bound to one.
const (
	PlaceHeader Place = "header"
	PlaceQuery  Place = "query"
	PlaceBody   Place = "body"
	PlaceField  Place = "field"
	PlaceEnv    Place = "env"
)

// Limits of a value. A shorter one cannot be masked, because it would occur in harmless text by chance.
const (
	MinValueBytes = 6
	MaxValueBytes = 64 << 10
)

const maxSecrets = 1000

// Secret describes a secret without its value.
type Secret struct {
	Name string `json:"name"`
	// Host is a host, host:port, or ServerHost of an MCP server.
	Host string `json:"host"`
	// Places are the places where it may be used; never empty.
	Places []Place `json:"places"`
	// Command is the command line of the MCP server that the secret was saved for, "" for a network host.
	Command string    `json:"command,omitempty"`
	Created time.Time `json:"created"`
	// LastUsed is the time of the last use, nil if it was never used. Uses counts the uses.
	LastUsed *time.Time `json:"used,omitempty"`
	Uses     int        `json:"uses"`
	// Storage is where the value is stored: "keychain" or "file".
	Storage string `json:"kept"`
	// Missing is true if the value cannot be read now, because the keychain is unavailable or has lost it.
	Missing bool `json:"missing,omitempty"`
}

// StorageInfo describes where the values of new secrets are stored.
type StorageInfo struct {
	// Storage is "keychain" or "file". Path is the path of the file.
	Storage string `json:"kept"`
	Path    string `json:"path,omitempty"`
	// Reason says why a file is used; "" for the keychain.
	Reason string `json:"why,omitempty"`
}

// Errors of Put and Delete.
var (
	ErrNotFound = errors.New("no such secret")
	ErrInvalid  = errors.New("the secret cannot be saved")
)

// Config configures a Vault.
type Config struct {
	// Dir is the vault's folder. It is created with mode 0700 and must not be a symlink.
	Dir string
	// Keychain stores values. If it is nil, they are stored in a file, and NoKeychainReason says why.
	Keychain         Keychain
	NoKeychainReason string
	Log              *slog.Logger
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Vault stores secrets. It is safe for concurrent use, even by several processes with the same folder.
type Vault struct {
	cfg    Config
	folder *folder

	mu        sync.Mutex
	indexInfo os.FileInfo
	index     index
	values    map[string]string
	closed    bool
	masker    atomic.Pointer[masker]
}

type index struct {
	Version int               `json:"version"`
	Secrets map[string]Secret `json:"secrets"`
	// Keys maps the name of each of Sextant's own keys to its storage.
	Keys map[string]string `json:"keys"`
}

// Open opens the vault in cfg.Dir and reads its values, so that they can be masked.
func Open(cfg Config) (*Vault, error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	f, err := openFolder(cfg.Dir)
	if err != nil {
		return nil, fmt.Errorf("opening the secrets: %w", err)
	}
	v := &Vault{cfg: cfg, folder: f}
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.reload(); err != nil {
		return nil, fmt.Errorf("opening the secrets: %w", err)
	}
	return v, nil
}

// StorageInfo returns where the values of new secrets are stored.
func (v *Vault) StorageInfo() StorageInfo {
	if v.cfg.Keychain != nil {
		return StorageInfo{Storage: inKeychain}
	}
	return StorageInfo{Storage: inFile, Path: filepath.Join(v.cfg.Dir, valuesFile), Reason: v.cfg.NoKeychainReason}
}

// List returns all secrets sorted by name, without values. After a disk error it returns the list that was read before.
func (v *Vault) List() []Secret {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.refresh()
	list := make([]Secret, 0, len(v.index.Secrets))
	for _, name := range slices.Sorted(maps.Keys(v.index.Secrets)) {
		s := v.index.Secrets[name]
		_, ok := v.values[secretPrefix+name]
		s.Missing = !ok
		s.Places = slices.Clone(s.Places)
		list = append(list, s)
	}
	return list
}

var namePattern = regexp.MustCompile(`^[a-z0-9_-]{1,64}$`)

// Put stores a secret: the name, host, places and command of s, and its value. Empty places mean all that fit the host.
// It replaces a secret with the same name; the count of uses restarts if the host changes. The error wraps ErrInvalid
// if s or value is invalid, and does not contain the value.
func (v *Vault) Put(s Secret, value string) (Secret, error) {
	s, err := validate(s, value)
	if err != nil {
		return Secret{}, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	err = v.update(func() error {
		old, known := v.index.Secrets[s.Name]
		if !known && len(v.index.Secrets) >= maxSecrets {
			return fmt.Errorf("%w: there are %d secrets already", ErrInvalid, maxSecrets)
		}
		s.Created = v.cfg.Now().UTC()
		if known && old.Host == s.Host {
			s.LastUsed, s.Uses = old.LastUsed, old.Uses
		}
		var err error
		if s.Storage, err = v.storeValue(secretPrefix+s.Name, value); err != nil {
			return err
		}
		v.index.Secrets[s.Name] = s
		return nil
	})
	if err != nil {
		return Secret{}, fmt.Errorf("saving the secret %s: %w", s.Name, err)
	}
	return s, nil
}

func validate(s Secret, value string) (Secret, error) {
	invalid := func(format string, args ...any) (Secret, error) {
		return Secret{}, fmt.Errorf("%w: "+format, append([]any{ErrInvalid}, args...)...)
	}
	if !namePattern.MatchString(s.Name) {
		return invalid("a name has 1 to 64 characters: lower-case letters, digits, _ and -")
	}
	host, err := normalizeHost(s.Host)
	if err != nil {
		return Secret{}, err
	}
	s.Host = host
	_, server := cutServer(host)
	possible := []Place{PlaceHeader, PlaceQuery, PlaceBody, PlaceField}
	if server {
		possible = []Place{PlaceEnv}
	}
	if len(s.Places) == 0 {
		s.Places = possible
	}
	slices.Sort(s.Places)
	s.Places = slices.Compact(s.Places)
	for _, p := range s.Places {
		if !slices.Contains(possible, p) {
			return invalid("%q is not a place for it; with that host use %s", p, joinPlaces(possible))
		}
	}
	if server && s.Command == "" {
		return invalid("there is no local MCP server of that name")
	}
	if !server {
		s.Command = ""
	}
	switch {
	case len(value) < MinValueBytes:
		return invalid("the value is shorter than %d characters, too short to be masked reliably", MinValueBytes)
	case len(value) > MaxValueBytes:
		return invalid("the value is longer than %d KB", MaxValueBytes>>10)
	case !utf8.ValidString(value) || strings.ContainsRune(value, 0):
		return invalid("the value is not text")
	case strings.Contains(value, referencePrefix):
		return invalid("the value contains a reference to a secret")
	}
	return s, nil
}

func joinPlaces(places []Place) string {
	names := make([]string, len(places))
	for i, p := range places {
		names[i] = string(p)
	}
	return strings.Join(names, ", ")
}

// Delete deletes a secret and its value. The error wraps ErrNotFound if there is no secret with this name.
func (v *Vault) Delete(name string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	err := v.update(func() error {
		s, ok := v.index.Secrets[name]
		if !ok {
			return ErrNotFound
		}
		delete(v.index.Secrets, name)
		return v.removeValue(secretPrefix+name, s.Storage)
	})
	if err != nil {
		return fmt.Errorf("deleting the secret %s: %w", name, err)
	}
	return nil
}

func (v *Vault) countUse(names []string) {
	now := v.cfg.Now().UTC()
	err := v.update(func() error {
		for _, name := range names {
			if s, ok := v.index.Secrets[name]; ok {
				s.LastUsed, s.Uses = &now, s.Uses+1
				v.index.Secrets[name] = s
			}
		}
		return nil
	})
	if err != nil {
		v.cfg.Log.Warn("the use of a secret was not counted", "err", err)
	}
}
