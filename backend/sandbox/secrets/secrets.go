// Package secrets keeps a person's secrets and puts them in where they are used.
//
// A secret has a name and is bound to one host. What a model, a tool or a person writes is its
// name, {{secret:name}}; the value is put in at the sink (the request that goes out, the field that
// is typed into) and nowhere before. Values are in the desktop's keychain where one answers, else
// in a file that only its owner reads. The keys of model providers and searches are kept in the
// same room, under names of their own that no reference reaches.
//
// The contract: a value that was saved is given to a sink of its host only, never to who lists,
// and Mask takes it out of any text again, also where the text holds it encoded or cut. What a
// Vault acknowledged is on disk. It is not the policy (who may use a secret is asked there) and no
// promise about values it never saw.
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

// Place is where in what goes out a secret may be put.
type Place string

// The places. Query is the path and the query of an address, Field what is typed into a page; Env
// is the environment of an MCP server and belongs to secrets that are bound to one.
const (
	Header Place = "header"
	Query  Place = "query"
	Body   Place = "body"
	Field  Place = "field"
	Env    Place = "env"
)

// Places are all of them.
func Places() []Place { return []Place{Header, Query, Body, Field, Env} }

// Bounds of a value in bytes. A shorter one stands in harmless text by chance, so that it could not
// be kept out of answers.
const (
	MinValue = 6
	MaxValue = 64 << 10
)

// maxSecrets bounds how many there are.
const maxSecrets = 1000

// Secret is what may be told of one: all but its value.
type Secret struct {
	Name string `json:"name"`
	// Host is host or host:port, or "mcp:" and the name of an MCP server that is a program.
	Host string `json:"host"`
	// Places are where it may be put, never empty.
	Places []Place `json:"places"`
	// Command is the command line that a secret of an MCP server was given to, "" for others.
	Command string    `json:"command,omitempty"`
	Created time.Time `json:"created"`
	// Used is when it was put in last, nil for never; Uses counts.
	Used *time.Time `json:"used,omitempty"`
	Uses int        `json:"uses"`
	// Kept is where its value is: "keychain" or "file".
	Kept string `json:"kept"`
	// Missing is true when the value cannot be read now: the keychain does not answer or lost it.
	Missing bool `json:"missing,omitempty"`
}

// Where the values of new secrets go, for people.
type Where struct {
	// Kept is "keychain" or "file"; Path is that file.
	Kept string `json:"kept"`
	Path string `json:"path,omitempty"`
	// Why says why it is a file, "" for the keychain.
	Why string `json:"why,omitempty"`
}

// Why a secret is not kept or found.
var (
	ErrUnknown = errors.New("no such secret")
	ErrInvalid = errors.New("not a secret that can be kept")
)

// Config is what a Vault works with.
type Config struct {
	// Dir is the vault's own folder. It is made, 0700, and must not be a link.
	Dir string
	// Keychain keeps values; nil keeps them in a file, and NoKeychain then says why.
	Keychain   Keychain
	NoKeychain string
	Log        *slog.Logger
	// Now is the clock, time.Now when nil.
	Now func() time.Time
}

// Vault keeps secrets. Its methods may be called concurrently, also by several processes on one
// folder.
type Vault struct {
	cfg  Config
	file *file

	mu     sync.Mutex
	stamp  os.FileInfo
	index  index
	values map[string]string
	closed bool
	mask   atomic.Pointer[masker]
}

// index is what is kept of the secrets beside their values.
type index struct {
	Version int               `json:"version"`
	Secrets map[string]Secret `json:"secrets"`
	// Keys says where the value of each of our own keys is kept.
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
	f, err := openFile(cfg.Dir)
	if err != nil {
		return nil, fmt.Errorf("opening the secrets: %w", err)
	}
	v := &Vault{cfg: cfg, file: f}
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.reload(); err != nil {
		return nil, fmt.Errorf("opening the secrets: %w", err)
	}
	return v, nil
}

// Where tells where new values go.
func (v *Vault) Where() Where {
	if v.cfg.Keychain != nil {
		return Where{Kept: keptInKeychain}
	}
	return Where{Kept: keptInFile, Path: filepath.Join(v.cfg.Dir, valuesFile), Why: v.cfg.NoKeychain}
}

// List is every secret in order of the names, without values. An error of the disk leaves the list
// as it was read last.
func (v *Vault) List() []Secret {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.fresh()
	list := make([]Secret, 0, len(v.index.Secrets))
	for _, name := range slices.Sorted(maps.Keys(v.index.Secrets)) {
		s := v.index.Secrets[name]
		_, there := v.values[secretPrefix+name]
		s.Missing = !there
		s.Places = slices.Clone(s.Places)
		list = append(list, s)
	}
	return list
}

var nameShape = regexp.MustCompile(`^[a-z0-9_-]{1,64}$`)

// Put keeps a secret: name, host, places (all that fit the host when empty) and command of s, with
// its value. One of that name is replaced; its uses are counted anew when the host changes. The
// error is an ErrInvalid where s or value cannot be kept, and never holds the value.
func (v *Vault) Put(s Secret, value string) (Secret, error) {
	s, err := checked(s, value)
	if err != nil {
		return Secret{}, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	err = v.change(func() error {
		old, known := v.index.Secrets[s.Name]
		if !known && len(v.index.Secrets) >= maxSecrets {
			return fmt.Errorf("%w: there are %d already", ErrInvalid, maxSecrets)
		}
		s.Created = v.cfg.Now().UTC()
		if known && old.Host == s.Host {
			s.Used, s.Uses = old.Used, old.Uses
		}
		var err error
		if s.Kept, err = v.keep(secretPrefix+s.Name, value, old.Kept); err != nil {
			return err
		}
		v.index.Secrets[s.Name] = s
		return nil
	})
	if err != nil {
		return Secret{}, fmt.Errorf("keeping the secret %s: %w", s.Name, err)
	}
	return s, nil
}

func checked(s Secret, value string) (Secret, error) {
	bad := func(format string, args ...any) (Secret, error) {
		return Secret{}, fmt.Errorf("%w: "+format, append([]any{ErrInvalid}, args...)...)
	}
	if !nameShape.MatchString(s.Name) {
		return bad("a name is 1 to 64 small letters, digits, _ and -")
	}
	host, err := binding(s.Host)
	if err != nil {
		return Secret{}, err
	}
	s.Host = host
	_, server := ofServer(host)
	fit := []Place{Header, Query, Body, Field}
	if server {
		fit = []Place{Env}
	}
	if len(s.Places) == 0 {
		s.Places = fit
	}
	slices.Sort(s.Places)
	s.Places = slices.Compact(s.Places)
	for _, p := range s.Places {
		if !slices.Contains(fit, p) {
			return bad("%q is no place for it; with that host it is %s", p, list(fit))
		}
	}
	if server && s.Command == "" {
		return bad("there is no MCP server of that name that is a program")
	}
	if !server {
		s.Command = ""
	}
	switch {
	case len(value) < MinValue:
		return bad("the value is shorter than %d characters, and could not be kept out of answers", MinValue)
	case len(value) > MaxValue:
		return bad("the value is longer than %d KB", MaxValue>>10)
	case !utf8.ValidString(value) || strings.ContainsRune(value, 0):
		return bad("the value is no text")
	case strings.Contains(value, refOpen):
		return bad("the value names a secret itself")
	}
	return s, nil
}

func list(places []Place) string {
	names := make([]string, len(places))
	for i, p := range places {
		names[i] = string(p)
	}
	return strings.Join(names, ", ")
}

// Delete forgets a secret and its value; ErrUnknown when there is none of that name.
func (v *Vault) Delete(name string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	err := v.change(func() error {
		s, ok := v.index.Secrets[name]
		if !ok {
			return ErrUnknown
		}
		delete(v.index.Secrets, name)
		return v.drop(secretPrefix+name, s.Kept)
	})
	if err != nil {
		return fmt.Errorf("deleting the secret %s: %w", name, err)
	}
	return nil
}

// used counts a use; a disk that does not take the count does not stop the use.
func (v *Vault) used(names []string) {
	now := v.cfg.Now().UTC()
	err := v.change(func() error {
		for _, name := range names {
			if s, ok := v.index.Secrets[name]; ok {
				s.Used, s.Uses = &now, s.Uses+1
				v.index.Secrets[name] = s
			}
		}
		return nil
	})
	if err != nil {
		v.cfg.Log.Warn("the use of a secret was not counted", "error", err)
	}
}
