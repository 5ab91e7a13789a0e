package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// FileName is the config's name in the config folder.
const FileName = "mcp-config.json"

// serversField is the field that holds the servers, as other programs call it too.
const serversField = "mcpServers"

// Add writes one server into the config at path, which is made when it is missing.
// Everything else in it is kept. A name that exists, a broken file and an entry that
// cannot run are refused and nothing is written.
func Add(path, name string, entry Entry) error {
	entry.Disabled = false
	raw, err := json.Marshal(entry)
	if err != nil {
		return fmt.Errorf("adding %s: %w", name, err)
	}
	added, _, err := merge(path, map[string]json.RawMessage{name: raw})
	if err != nil {
		return err
	}
	if len(added) == 0 {
		return fmt.Errorf("there is a server %q already; nothing was changed", name)
	}
	return nil
}

// merge writes those of servers whose names are free.
func merge(path string, servers map[string]json.RawMessage) (added, skipped []string, err error) {
	text, err := readConfig(path)
	if err != nil {
		return nil, nil, err
	}
	whole := map[string]json.RawMessage{}
	have := map[string]json.RawMessage{}
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
		if problem := entry.problem(name); problem != "" {
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
	if whole[serversField], err = json.Marshal(have); err != nil {
		return nil, nil, fmt.Errorf("writing %s: %w", FileName, err)
	}
	out, err := json.MarshalIndent(whole, "", "  ")
	if err != nil {
		return nil, nil, fmt.Errorf("writing %s: %w", FileName, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, nil, fmt.Errorf("writing %s: %w", FileName, err)
	}
	return added, skipped, writeConfig(path, append(out, '\n'))
}
