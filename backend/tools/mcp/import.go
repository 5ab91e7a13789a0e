package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"sextant/backend/tools/mcp/foreign"
	"sextant/backend/tools/panels/child"
)

// Preview is what an import would add. All of it is outside text.
type Preview struct {
	// Format says what the file is.
	Format  string            `json:"format"`
	Servers []PreviewedServer `json:"servers"`
	// Bundle is set when a program comes with the file.
	Bundle *PreviewedBundle `json:"bundle,omitempty"`
	// Digest stands for what was read; an import is given it, and takes over nothing else.
	Digest string `json:"digest"`
}

// PreviewedServer is one server of a Preview.
type PreviewedServer struct {
	Name  string `json:"name"`
	Entry Entry  `json:"entry"`
	// Line is what would run, or the address that would be asked.
	Line string `json:"line"`
	// Taken is true when there is a server of that name, which is left as it is. Problem says why
	// it cannot be added, "" when it can.
	Taken   bool   `json:"taken"`
	Problem string `json:"problem"`
	// Notes say what a person has to do before it works, and what was left out.
	Notes []string `json:"notes"`
	// May is what it may touch on this machine.
	May May `json:"may"`
}

// PreviewedBundle is the program of a bundle, by its own words, and where it would go.
type PreviewedBundle struct {
	Title       string `json:"title"`
	Version     string `json:"version"`
	Author      string `json:"author"`
	Description string `json:"description"`
	Folder      string `json:"folder"`
	Files       int    `json:"files"`
	Bytes       int64  `json:"bytes"`
}

// Look is what an import of list into the config at path would add. Nothing is written.
func Look(path string, list foreign.List) (Preview, error) {
	text, err := readConfig(path)
	if err != nil {
		return Preview{}, err
	}
	have, _, err := parseConfig(text)
	if err != nil {
		return Preview{}, fmt.Errorf("%s: %w", FileName, err)
	}
	p := Preview{Format: list.Format, Digest: list.Digest, Servers: []PreviewedServer{}}
	if b := list.Bundle; b != nil {
		p.Bundle = &PreviewedBundle{
			Title: shorten(b.Title, 200), Version: shorten(b.Version, 50), Author: shorten(b.Author, 200), Description: shorten(b.Description, 1000),
			Folder: b.Folder, Files: b.Files, Bytes: b.Bytes,
		}
	}
	for _, s := range list.Servers {
		one := PreviewedServer{Name: s.Name, Notes: append([]string{}, s.Notes...)}
		one.Entry, one.Problem = entryOf(s)
		_, one.Taken = have[s.Name]
		one.Line = one.Entry.URL
		if one.Entry.Command != "" {
			one.Line = child.Line(one.Entry.Command, one.Entry.Args)
		}
		p.Servers = append(p.Servers, one)
	}
	return p, nil
}

func entryOf(s foreign.Server) (e Entry, problem string) {
	e = Entry{Command: s.Command, Args: s.Args, Env: s.Env, Cwd: s.Cwd, URL: s.URL, Headers: s.Headers, Type: s.Type, Disabled: s.Disabled}
	if len(s.OAuth) > 0 {
		if err := json.Unmarshal(s.OAuth, &e.OAuth); err != nil {
			return e, "oauth: " + wrongType(err)
		}
	}
	return e, e.problem(s.Name)
}

// Import adds those servers of list to the config at path that are named, all of them where none is.
// It returns the names it added and those it left alone because they exist. Unless on is true they
// are switched off, so that each starts when a person has read its command; one that needs something
// of a person before it can work is off in any case. One that cannot run refuses the import.
func Import(path string, list foreign.List, named []string, on bool) (added, skipped []string, err error) {
	p, err := Look(path, list)
	if err != nil {
		return nil, nil, err
	}
	entries := map[string]json.RawMessage{}
	for _, s := range p.Servers {
		if len(named) > 0 && !slices.Contains(named, s.Name) {
			continue
		}
		if s.Taken {
			skipped = append(skipped, s.Name)
			continue
		}
		if s.Problem != "" {
			return nil, nil, fmt.Errorf("server %s: %s; nothing was changed", s.Name, s.Problem)
		}
		s.Entry.Disabled = s.Entry.Disabled || !on || len(s.Notes) > 0
		if entries[s.Name], err = json.Marshal(s.Entry); err != nil {
			return nil, nil, fmt.Errorf("importing %s: %w", s.Name, err)
		}
	}
	if len(entries) == 0 {
		return nil, skipped, nil
	}
	if list.Bundle != nil {
		if err := list.Bundle.Unpack(); err != nil {
			return nil, nil, err
		}
	}
	if added, _, err = merge(path, entries); err != nil {
		if list.Bundle != nil {
			err = errors.Join(err, os.RemoveAll(list.Bundle.Folder)) // no server would be there to remove it with
		}
		return nil, nil, err
	}
	return added, skipped, nil
}

// Look is what an import of list would add.
func (s *Servers) Look(list foreign.List) (Preview, error) {
	p, err := Look(s.cfg.Path, list)
	p.Judge(s.cfg.Sandbox, s.cfg.Dir)
	return p, err
}

// Judge says of each server what it may touch behind that sandbox, started in the folder workspace.
func (p *Preview) Judge(box *Sandbox, workspace string) {
	for i := range p.Servers {
		p.Servers[i].May = box.May(p.Servers[i].Entry, workspace)
	}
}

// Import adds the named servers of list, all where none is named, switched off, and takes them over
// at once.
func (s *Servers) Import(list foreign.List, named []string) (added, skipped []string, err error) {
	s.change.Lock()
	defer s.change.Unlock()
	if added, skipped, err = Import(s.cfg.Path, list, named, false); err != nil {
		return nil, nil, err
	}
	now, err := readConfig(s.cfg.Path)
	if err != nil {
		return nil, nil, err
	}
	s.apply(now)
	return added, skipped, nil
}
