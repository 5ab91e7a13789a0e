package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sextant/backend/mcp/access"
	"sextant/backend/store/wholefile"
	"sextant/backend/toolprovider/jsonpos"
)

const (
	// FileName is the file's name in the config folder.
	FileName     = "mcp-config.json"
	maxBytes     = 1 << 20
	serversField = "mcpServers"
)

// ErrUnknownServer means that the config has no server of that name.
var ErrUnknownServer = errors.New("no such MCP server")

// Read reads the file at path. A missing file reads as empty; one larger than 1 MB is an error.
func Read(path string) ([]byte, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading MCP config: %w", err)
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", path)
	}
	text, err := io.ReadAll(io.LimitReader(file, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("reading MCP config: %w", err)
	}
	if len(text) > maxBytes {
		return nil, fmt.Errorf("%s is larger than 1 MB", path)
	}
	return text, nil
}

// ReadEntries reads the file at path and parses it, see Parse.
func ReadEntries(path string) (entries map[string]Entry, faults map[string]string, err error) {
	text, err := Read(path)
	if err != nil {
		return nil, nil, err
	}
	if entries, faults, err = Parse(text); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", FileName, err)
	}
	return entries, faults, nil
}

// Write replaces the file at path atomically. It keeps the file's mode and follows a symbolic link. Its folder must
// exist.
func Write(path string, text []byte) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	if err := wholefile.Write(path, text, mode); err != nil {
		return fmt.Errorf("writing MCP config: %w", err)
	}
	return nil
}

// CommandOf returns the command line of the named server in the file at path, or "" if it has none or the file
// cannot be read.
func CommandOf(path, name string) string {
	entries, _, err := ReadEntries(path)
	if e, ok := entries[name]; err == nil && ok && e.Command != "" {
		return e.CommandOrURL()
	}
	return ""
}

// Add adds one server, switched on, to the file at path, which is created if it is missing. If the name exists, the
// file is broken or the entry cannot run, Add returns an error and writes nothing.
func Add(path, name string, entry Entry) error {
	entry.Disabled = false
	raw, err := json.Marshal(entry)
	if err != nil {
		return fmt.Errorf("adding %s: %w", name, err)
	}
	added, _, err := Merge(path, map[string]json.RawMessage{name: raw})
	if err != nil {
		return err
	}
	if len(added) == 0 {
		return fmt.Errorf("there is already a server %q; nothing was changed", name)
	}
	return nil
}

// Merge adds servers to the file at path. It skips those whose names exist already. If one is invalid, it returns
// an error and writes nothing.
func Merge(path string, servers map[string]json.RawMessage) (added, skipped []string, err error) {
	text, err := Read(path)
	if err != nil {
		return nil, nil, err
	}
	whole, have := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	if len(text) > 0 {
		if err := json.Unmarshal(text, &whole); err != nil {
			return nil, nil, fmt.Errorf("%s is not valid JSON: %w; nothing was changed", FileName, err)
		}
		if whole[serversField] != nil {
			if err := json.Unmarshal(whole[serversField], &have); err != nil {
				return nil, nil, fmt.Errorf("%s: mcpServers is not an object; nothing was changed", FileName)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		var entry Entry
		if err := json.Unmarshal(servers[name], &entry); err != nil {
			return nil, nil, fmt.Errorf("server %s: %w; nothing was changed", name, err)
		}
		if problem := entry.Problem(name); problem != "" {
			return nil, nil, fmt.Errorf("server %s: %s; nothing was changed", name, problem)
		}
		if have[name] != nil {
			skipped = append(skipped, name)
			continue
		}
		have[name] = servers[name]
		added = append(added, name)
	}
	if len(added) == 0 {
		return nil, skipped, nil
	}
	out, err := withServers(whole, have)
	if err != nil {
		return nil, nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, nil, fmt.Errorf("writing %s: %w", FileName, err)
	}
	return added, skipped, Write(path, out)
}

// Remove returns text without the named server. The error wraps ErrUnknownServer if there is no such server.
func Remove(text []byte, name string) ([]byte, error) {
	var whole, have map[string]json.RawMessage
	if err := json.Unmarshal(text, &whole); err != nil {
		return nil, fmt.Errorf("%s is not valid JSON: %w; nothing was changed", FileName, err)
	}
	if err := json.Unmarshal(whole[serversField], &have); err != nil || have[name] == nil {
		return nil, fmt.Errorf("%w: %s", ErrUnknownServer, name)
	}
	delete(have, name)
	return withServers(whole, have)
}

func withServers(whole, servers map[string]json.RawMessage) ([]byte, error) {
	var err error
	if whole[serversField], err = json.Marshal(servers); err != nil {
		return nil, fmt.Errorf("writing %s: %w", FileName, err)
	}
	out, err := json.MarshalIndent(whole, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", FileName, err)
	}
	return append(out, '\n'), nil
}

// Replace returns text with the named server's entry replaced and everything else unchanged. The error wraps
// ErrUnknownServer if there is no such server.
func Replace(text []byte, name string, entry Entry) ([]byte, error) {
	raw, err := json.Marshal(entry)
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", name, err)
	}
	_, span, err := find(text, name)
	if err != nil {
		return nil, err
	}
	return splice(text, span.Start, span.End, string(raw)), nil
}

// SetAccess returns text with the access limits of the named server replaced; nil derives them from the entry.
// Members of the entry that Sextant does not know stay.
func SetAccess(text []byte, name string, access *access.Override) ([]byte, error) {
	_, span, err := find(text, name)
	if err != nil {
		return nil, err
	}
	whole := map[string]json.RawMessage{}
	if err := json.Unmarshal(text[span.Start:span.End], &whole); err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	delete(whole, "sextant")
	if access != nil {
		if whole["sextant"], err = json.Marshal(access); err != nil {
			return nil, fmt.Errorf("writing %s: %w", name, err)
		}
	}
	raw, err := json.Marshal(whole)
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", name, err)
	}
	return splice(text, span.Start, span.End, string(raw)), nil
}

// SetDisabled returns text with the named server switched on or off.
func SetDisabled(text []byte, name string, disabled bool) ([]byte, error) {
	return setMember(text, name, "disabled", fmt.Sprintf("%t", disabled), !disabled)
}

// SetConsents returns text with the named server's consents set from c; nil members of c change nothing.
func SetConsents(text []byte, name string, c Consents) ([]byte, error) {
	var err error
	for member, decision := range map[string]*bool{"roots": c.Roots, "sampling": c.Sampling} {
		if decision == nil {
			continue
		}
		if text, err = setMember(text, name, member, fmt.Sprintf("%t", *decision), false); err != nil {
			return nil, err
		}
	}
	return text, nil
}

func find(text []byte, name string) (*jsonpos.Index, jsonpos.Span, error) {
	index, err := jsonpos.Parse(text)
	if err != nil {
		return nil, jsonpos.Span{}, fmt.Errorf("%s is not valid JSON at %w", FileName, err)
	}
	span, ok := index.Values[jsonpos.Pointer("/"+serversField, name)]
	if !ok {
		return nil, jsonpos.Span{}, fmt.Errorf("%w: %s", ErrUnknownServer, name)
	}
	return index, span, nil
}

func setMember(text []byte, name, member, value string, isDefault bool) ([]byte, error) {
	index, span, err := find(text, name)
	if err != nil {
		return nil, err
	}
	if text[span.Start] != '{' {
		return nil, fmt.Errorf("%w: %s", ErrUnknownServer, name)
	}
	server := jsonpos.Pointer("/"+serversField, name)
	if old, ok := index.Values[jsonpos.Pointer(server, member)]; ok {
		return splice(text, old.Start, old.End, value), nil
	}
	if isDefault {
		return text, nil
	}
	return insert(text, index, server, span, fmt.Sprintf("%q: %s", member, value)), nil
}

// insert formats the member like the other members.
func insert(text []byte, index *jsonpos.Index, server string, span jsonpos.Span, member string) []byte {
	keys := index.Order[server]
	if len(keys) == 0 {
		return splice(text, span.Start, span.End, "{ "+member+" }")
	}
	// Insert after the last member, with the white space that precedes that member.
	last := jsonpos.Pointer(server, keys[len(keys)-1])
	key := index.Keys[last]
	gap := key
	for gap > 0 && strings.IndexByte(" \t\r\n", text[gap-1]) >= 0 {
		gap--
	}
	end := index.Values[last].End
	return splice(text, end, end, ","+string(text[gap:key])+member)
}

func splice(text []byte, start, end int, with string) []byte {
	return slices.Concat(text[:start], []byte(with), text[end:])
}
