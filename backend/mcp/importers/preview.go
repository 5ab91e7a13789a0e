package importers

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"sextant/backend/mcp/config"
	"sextant/backend/mcp/launch"
	"sextant/shared/excerpt"
)

// Preview describes what an import would add. What it quotes from the file is text from outside.
type Preview struct {
	// Format describes the file in words.
	Format  string            `json:"format"`
	Servers []PreviewedServer `json:"servers"`
	// Bundle is set if the file is a bundle.
	Bundle *PreviewedBundle `json:"bundle,omitempty"`
	// Digest identifies the file. An import passes it back, so that nothing but this file is imported.
	Digest string `json:"digest"`
}

// PreviewedServer is one server of a Preview.
type PreviewedServer struct {
	Name  string       `json:"name"`
	Entry config.Entry `json:"entry"`
	// CommandOrURL is the command line that would run, or the address of a remote server.
	CommandOrURL string `json:"line"`
	// Exists is true if a server of that name exists; it stays unchanged. Problem says why the server cannot be
	// added, "" if it can.
	Exists  bool   `json:"taken"`
	Problem string `json:"problem"`
	// Notes say what a person must do before the server works, and what was left out of the import.
	Notes  []string      `json:"notes"`
	Access launch.Access `json:"may"`
}

// PreviewedBundle describes a bundle as its manifest does, and the folder that it would be unpacked to.
type PreviewedBundle struct {
	Title       string `json:"title"`
	Version     string `json:"version"`
	Author      string `json:"author"`
	Description string `json:"description"`
	Folder      string `json:"folder"`
	Files       int    `json:"files"`
	Bytes       int64  `json:"bytes"`
}

// PreviewOf returns what an import of list into the config at path would add. It writes nothing.
func PreviewOf(path string, list List) (Preview, error) {
	have, _, err := config.ReadEntries(path)
	if err != nil {
		return Preview{}, err
	}
	p := Preview{Format: list.Format, Digest: list.Digest, Servers: []PreviewedServer{}}
	if b := list.Bundle; b != nil {
		p.Bundle = &PreviewedBundle{
			Title: excerpt.TruncateRunes(b.Title, 200), Version: excerpt.TruncateRunes(b.Version, 50),
			Author:      excerpt.TruncateRunes(b.Author, 200),
			Description: excerpt.TruncateRunes(b.Description, 1000), Folder: b.Folder, Files: b.Files, Bytes: b.Bytes,
		}
	}
	for _, s := range list.Servers {
		one := PreviewedServer{Name: s.Name, Notes: append([]string{}, s.Notes...)}
		one.Entry, one.Problem = s.entry()
		_, one.Exists = have[s.Name]
		one.CommandOrURL = one.Entry.CommandOrURL()
		p.Servers = append(p.Servers, one)
	}
	return p, nil
}

// FillAccess sets the Access of each server to what it could access in sandbox, started in the folder workspace.
func (p *Preview) FillAccess(sandbox *launch.Sandbox, workspace string) {
	for i := range p.Servers {
		p.Servers[i].Access = sandbox.Access(p.Servers[i].Entry, workspace)
	}
}

func (s Server) entry() (e config.Entry, problem string) {
	e = config.Entry{
		Command: s.Command, Args: s.Args, Env: s.Env, Cwd: s.Cwd, URL: s.URL, Headers: s.Headers, Type: s.Type,
		Disabled: s.Disabled,
	}
	if len(s.OAuth) > 0 {
		if err := json.Unmarshal(s.OAuth, &e.OAuth); err != nil {
			return e, "oauth: " + config.DecodeProblem(err)
		}
	}
	return e, e.Problem(s.Name)
}

// Import adds the servers of list with the given names, or all if names is empty, to the config at path. It returns
// the names of those added and of those skipped because they exist. Servers are added switched off, so that each starts
// only after a person has read its command; if on is true, only those with Notes or switched off in the file are. If
// one cannot run, it adds none.
func Import(path string, list List, names []string, on bool) (added, skipped []string, err error) {
	p, err := PreviewOf(path, list)
	if err != nil {
		return nil, nil, err
	}
	entries := map[string]json.RawMessage{}
	for _, s := range p.Servers {
		if len(names) > 0 && !slices.Contains(names, s.Name) {
			continue
		}
		if s.Exists {
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
		if err := list.Bundle.unpack(); err != nil {
			return nil, nil, err
		}
	}
	if added, _, err = config.Merge(path, entries); err != nil {
		if list.Bundle != nil {
			err = errors.Join(err, os.RemoveAll(list.Bundle.Folder)) // without a server, the person could not remove it
		}
		return nil, nil, err
	}
	return added, skipped, nil
}
