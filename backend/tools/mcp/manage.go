package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"sextant/backend/tools/mcp/grants"
	"sextant/backend/tools/mcp/signin"
	"sextant/backend/tools/panels/jsonpos"
)

// named is the server of that name.
func (s *Servers) named(name string) (*server, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.servers[name]
	return v, ok
}

// Log is the end of what a server has written to its standard error, 64 KB at most, without
// secrets. It is outside text.
func (s *Servers) Log(name string) (string, error) {
	v, ok := s.named(name)
	if !ok {
		return "", fmt.Errorf("%w: %s", errUnknownServer, name)
	}
	return s.cfg.Secrets.Mask(v.tail.String()), nil
}

// Entry is what the config says of a server.
func (s *Servers) Entry(name string) (Entry, error) {
	v, ok := s.named(name)
	if !ok {
		return Entry{}, fmt.Errorf("%w: %s", errUnknownServer, name)
	}
	e := v.entry
	e.Consents = v.consents()
	return e, nil
}

// entries are those of all servers.
func (s *Servers) entries() map[string]Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make(map[string]Entry, len(s.servers))
	for name, v := range s.servers {
		all[name] = v.entry
	}
	return all
}

// Written is what the config file says of a server now, whether it was taken over or not.
func (s *Servers) Written(name string) (Entry, error) {
	text, err := readConfig(s.cfg.Path)
	if err != nil {
		return Entry{}, err
	}
	entries, faults, err := parseConfig(text)
	if err != nil {
		return Entry{}, fmt.Errorf("%s: %w", FileName, err)
	}
	e, ok := entries[name]
	switch {
	case !ok:
		return e, fmt.Errorf("%w: %s", errUnknownServer, name)
	case faults[name] != "":
		return e, errors.New(faults[name])
	}
	return e, nil
}

// Grant writes what a server may touch into the config file, nil to have all of it follow from the entry.
// The rest of the file stays; nothing is started.
func (s *Servers) Grant(name string, written *grants.Written) error {
	if problem := written.Problem(); problem != "" {
		return errors.New(problem)
	}
	s.change.Lock()
	defer s.change.Unlock()
	text, err := readConfig(s.cfg.Path)
	if err != nil {
		return err
	}
	index, err := jsonpos.Parse(text)
	if err != nil {
		return fmt.Errorf("%s is not valid JSON at %w", FileName, err)
	}
	span, there := index.Values[jsonpos.Pointer("/mcpServers", name)]
	if !there {
		return fmt.Errorf("%w: %s", errUnknownServer, name)
	}
	// What we do not know of the entry stays, too.
	whole := map[string]json.RawMessage{}
	if err := json.Unmarshal(text[span.Start:span.End], &whole); err != nil {
		return fmt.Errorf("reading %s: %w", name, err)
	}
	delete(whole, "sextant")
	if written != nil {
		if whole["sextant"], err = json.Marshal(written); err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
	}
	raw, err := json.Marshal(whole)
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return writeConfig(s.cfg.Path, splice(text, span.Start, span.End, string(raw)))
}

// Restart ends a server that is on and starts it again, at once also when it waits for its next try.
func (s *Servers) Restart(name string) error {
	s.change.Lock()
	defer s.change.Unlock()
	v, ok := s.named(name)
	if !ok {
		return fmt.Errorf("%w: %s", errUnknownServer, name)
	}
	if v.entry.Disabled || v.fault != "" {
		return fmt.Errorf("%s is not on; switch it on first", name)
	}
	v.stop()
	s.mu.Lock()
	life := s.life
	if life == nil {
		life = context.Background()
	}
	if s.servers[name] == v && life.Err() == nil {
		v.start(life)
	}
	s.mu.Unlock()
	s.publish()
	return nil
}

// Put writes a server into the config and takes it over at once: a new one, or with replace the one of
// that name. What is wrong with it is the error, and nothing is written.
func (s *Servers) Put(name string, entry Entry, replace bool) error {
	if problem := entry.problem(name); problem != "" {
		return fmt.Errorf("%s", problem)
	}
	raw, err := json.Marshal(entry)
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	s.change.Lock()
	defer s.change.Unlock()
	text, err := readConfig(s.cfg.Path)
	if err != nil {
		return err
	}
	if index, err := jsonpos.Parse(text); err == nil {
		if span, there := index.Values[jsonpos.Pointer("/mcpServers", name)]; there {
			if !replace {
				return fmt.Errorf("there is a server %q already; nothing was changed", name)
			}
			// In its place, so that the rest stays as the person wrote it.
			return s.write(splice(text, span.Start, span.End, string(raw)))
		}
	}
	if replace {
		return fmt.Errorf("%w: %s", errUnknownServer, name)
	}
	if _, _, err := merge(s.cfg.Path, map[string]json.RawMessage{name: raw}); err != nil {
		return err
	}
	if text, err = readConfig(s.cfg.Path); err != nil {
		return err
	}
	s.apply(text)
	return nil
}

// write makes text the config; the caller holds change.
func (s *Servers) write(text []byte) error {
	if err := writeConfig(s.cfg.Path, text); err != nil {
		return err
	}
	s.apply(text)
	return nil
}

// Remove ends a server, takes it out of the config and forgets the sign-in to it and what its program
// kept in its own folder.
func (s *Servers) Remove(name string) error {
	s.change.Lock()
	defer s.change.Unlock()
	text, err := readConfig(s.cfg.Path)
	if err != nil {
		return err
	}
	var whole, have map[string]json.RawMessage
	if err := json.Unmarshal(text, &whole); err != nil {
		return fmt.Errorf("%s is not valid JSON: %w; nothing was changed", FileName, err)
	}
	if err := json.Unmarshal(whole[serversField], &have); err != nil || have[name] == nil {
		return fmt.Errorf("%w: %s", errUnknownServer, name)
	}
	delete(have, name)
	if whole[serversField], err = json.Marshal(have); err != nil {
		return fmt.Errorf("writing %s: %w", FileName, err)
	}
	out, err := json.MarshalIndent(whole, "", "  ")
	if err != nil {
		return fmt.Errorf("writing %s: %w", FileName, err)
	}
	gone, known := s.named(name)
	if err := s.write(append(out, '\n')); err != nil || !known {
		return err
	}
	if err := s.cfg.Sandbox.sweep(s.entries(), name); err != nil {
		return fmt.Errorf("%s is removed, but its own folder is still there: %w", name, err)
	}
	if gone.entry.URL == "" || s.cfg.Keep == nil {
		return nil
	}
	if err := signin.Forget(s.cfg.Keep, gone.entry.URL); err != nil {
		return fmt.Errorf("%s is removed, but what signing in to it gave is still kept: %w", name, err)
	}
	return nil
}

// Why is err as a person reads it: a line of at most maxWhy characters.
func Why(err error) string { return sentence(err.Error()) }

// IsUnknown reports whether err says that there is no such server.
func IsUnknown(err error) bool { return errors.Is(err, errUnknownServer) }
