package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"sextant/backend/mcp/access"
	"sextant/backend/mcp/auth"
	"sextant/backend/mcp/config"
	"sextant/backend/mcp/importers"
	"sextant/backend/mcp/launch"
	"sextant/backend/mcp/servertext"
)

func (s *Servers) server(name string) (*server, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.servers[name]
	if !ok {
		return nil, unknownServer(name)
	}
	return v, nil
}

func (s *Servers) entries() map[string]config.Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make(map[string]config.Entry, len(s.servers))
	for name, v := range s.servers {
		all[name] = v.entry
	}
	return all
}

// Log returns the end of a server's log, with secrets masked. It is text from outside.
func (s *Servers) Log(name string) (string, error) {
	v, err := s.server(name)
	if err != nil {
		return "", err
	}
	return s.cfg.Secrets.Mask(v.tail.String()), nil
}

// IsConnected reports whether the server of that name is connected.
func (s *Servers) IsConnected(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.servers[name]
	return v != nil && v.session != nil
}

// Entry returns the entry that is in effect for a server, even if the file has changed since.
func (s *Servers) Entry(name string) (config.Entry, error) {
	v, err := s.server(name)
	if err != nil {
		return config.Entry{}, err
	}
	e := v.entry
	e.Consents = v.consents()
	return e, nil
}

// EntryInFile returns the entry of a server as it is in the file, even if it is not in effect yet. It fails if the
// entry is invalid.
func (s *Servers) EntryInFile(name string) (config.Entry, error) {
	entries, faults, err := config.ReadEntries(s.cfg.Path)
	if err != nil {
		return config.Entry{}, err
	}
	e, ok := entries[name]
	switch {
	case !ok:
		return e, unknownServer(name)
	case faults[name] != "":
		return e, errors.New(faults[name])
	}
	return e, nil
}

// Access describes what a server with the entry e may access on this machine.
func (s *Servers) Access(e config.Entry) launch.Access {
	return s.cfg.Sandbox.Access(e, s.cfg.folder())
}

func (s *Servers) edit(apply bool, change func(text []byte) ([]byte, error)) error {
	s.configMu.Lock()
	defer s.configMu.Unlock()
	text, err := config.Read(s.cfg.Path)
	if err != nil {
		return err
	}
	if text, err = change(text); err != nil {
		return err
	}
	if err := config.Write(s.cfg.Path, text); err != nil || !apply {
		return err
	}
	s.apply(text)
	return nil
}

// SetEnabled switches a server on or off in the config file and puts that into effect.
func (s *Servers) SetEnabled(_ context.Context, name string, enabled bool) error {
	return s.edit(true, func(text []byte) ([]byte, error) { return config.SetDisabled(text, name, !enabled) })
}

// SetConsents writes to the config file what a server may ask for; nil members of c change nothing. A running server
// learns of changed features when it connects again.
func (s *Servers) SetConsents(name string, c config.Consents) error {
	return s.edit(true, func(text []byte) ([]byte, error) { return config.SetConsents(text, name, c) })
}

// SetAccess writes the access limits of a server to the config file; nil derives them from the entry. The
// change takes effect when the file is read again.
func (s *Servers) SetAccess(name string, written *access.Override) error {
	if problem := written.Problem(); problem != "" {
		return errors.New(problem)
	}
	return s.edit(false, func(text []byte) ([]byte, error) { return config.SetAccess(text, name, written) })
}

// Put writes a server to the config and puts that into effect. If replace is true, the server must exist; otherwise
// it must not. If the entry has a problem, Put returns it as the error and writes nothing.
func (s *Servers) Put(name string, entry config.Entry, replace bool) error {
	if problem := entry.Problem(name); problem != "" {
		return errors.New(problem)
	}
	if replace {
		return s.edit(true, func(text []byte) ([]byte, error) { return config.Replace(text, name, entry) })
	}
	raw, err := json.Marshal(entry)
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return s.merge(func() error {
		added, _, err := config.Merge(s.cfg.Path, map[string]json.RawMessage{name: raw})
		if err == nil && len(added) == 0 {
			return fmt.Errorf("there is already a server %q; nothing was changed", name)
		}
		return err
	})
}

func (s *Servers) merge(write func() error) error {
	s.configMu.Lock()
	defer s.configMu.Unlock()
	if err := write(); err != nil {
		return err
	}
	text, err := config.Read(s.cfg.Path)
	if err != nil {
		return err
	}
	s.apply(text)
	return nil
}

// Preview returns what an import of list would add.
func (s *Servers) Preview(list importers.List) (importers.Preview, error) {
	p, err := importers.PreviewOf(s.cfg.Path, list)
	p.FillAccess(s.cfg.Sandbox, s.cfg.folder())
	return p, err
}

// Import adds the servers of list with the given names, or all if names is empty, switched off. skipped are those
// that exist already.
func (s *Servers) Import(list importers.List, names []string) (added, skipped []string, err error) {
	err = s.merge(func() error {
		added, skipped, err = importers.Import(s.cfg.Path, list, names, false)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return added, skipped, nil
}

// Restart stops a server and starts it again at once. The server must be switched on and its entry valid.
func (s *Servers) Restart(name string) error {
	s.configMu.Lock()
	defer s.configMu.Unlock()
	v, err := s.server(name)
	if err != nil {
		return err
	}
	if v.entry.Disabled || v.fault != "" {
		return fmt.Errorf("%s is switched off; switch it on first", name)
	}
	v.stop()
	s.mu.Lock()
	if life := s.lifeOr(context.Background()); s.servers[name] == v && life.Err() == nil {
		v.start(life)
	}
	s.mu.Unlock()
	s.publish()
	return nil
}

// Remove stops a server, removes it from the config, and deletes its sign-in and its program's home. If deleting
// the sign-in or the home fails, the server is removed nevertheless.
func (s *Servers) Remove(name string) (failed error) {
	s.configMu.Lock()
	defer s.configMu.Unlock()
	text, err := config.Read(s.cfg.Path)
	if err != nil {
		return err
	}
	if text, err = config.Remove(text, name); err != nil {
		return err
	}
	removed, unknown := s.server(name)
	if err := config.Write(s.cfg.Path, text); err != nil {
		return err
	}
	s.apply(text)
	if unknown != nil {
		return nil
	}
	if err := s.cfg.Sandbox.RemoveUnusedHomes(s.entries(), name); err != nil {
		failed = fmt.Errorf("%s is removed, but the folder with its data could not be deleted: %w", name, err)
	}
	if removed.entry.URL == "" || s.cfg.Store == nil || s.hasURL(removed.entry.URL) {
		return failed
	}
	if err := auth.DeleteTokens(s.cfg.Store, removed.entry.URL); err != nil {
		failed = errors.Join(failed, fmt.Errorf("%s is removed, but its sign-in could not be deleted: %w", name, err))
	}
	return failed
}

// hasURL reports whether a server has this address. Servers with the same address share a sign-in.
func (s *Servers) hasURL(url string) bool {
	for _, entry := range s.entries() {
		if entry.URL == url {
			return true
		}
	}
	return false
}

// ErrorText returns the text of err for a person, see servertext.Sentence.
func ErrorText(err error) string { return servertext.Sentence(err.Error()) }

// IsUnknownServer reports whether err wraps config.ErrUnknownServer.
func IsUnknownServer(err error) bool { return errors.Is(err, config.ErrUnknownServer) }
