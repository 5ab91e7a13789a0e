package scripted

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"sextant/backend/store/wholefile"
)

const maxState = 256 << 10

// state is the store of a script: one JSON object in a file of the panel's data folder. Each change writes a new file.
type state struct {
	dir, id string
	mu      sync.Mutex
}

// Setting null deletes the key.
func (s *state) do(what string, args json.RawMessage) (json.RawMessage, error) {
	var q struct {
		Key   string          `json:"key"`
		Value json.RawMessage `json:"value"`
	}
	if err := json.Unmarshal(args, &q); err != nil {
		return nil, errors.New("store: a key is a string")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	all, err := s.load()
	if err != nil {
		return nil, err
	}
	switch what {
	case "keys":
		return json.Marshal(append([]string{}, slices.Sorted(maps.Keys(all))...))
	case "get":
		if value, ok := all[q.Key]; ok {
			return value, nil
		}
		return json.RawMessage("null"), nil
	}
	if len(q.Value) == 0 || string(q.Value) == "null" {
		delete(all, q.Key)
	} else {
		all[q.Key] = q.Value
	}
	return json.RawMessage("null"), s.save(all)
}

func (s *state) file() string { return filepath.Join(s.dir, s.id, "store.json") }

func (s *state) load() (map[string]json.RawMessage, error) {
	all := map[string]json.RawMessage{}
	if s.dir == "" {
		return nil, errors.New("there is no data folder for the store")
	}
	text, err := os.ReadFile(s.file())
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the store: %w", err)
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("parsing the store: %w", err)
	}
	return all, nil
}

func (s *state) save(all map[string]json.RawMessage) error {
	text, err := json.Marshal(all)
	if err != nil {
		return fmt.Errorf("writing the store: %w", err)
	}
	if len(text) > maxState {
		return fmt.Errorf("the store may hold %d KB", maxState>>10)
	}
	if err := os.MkdirAll(filepath.Dir(s.file()), 0o700); err != nil {
		return fmt.Errorf("writing the store: %w", err)
	}
	if err := wholefile.Write(s.file(), text, 0o600); err != nil {
		return fmt.Errorf("writing the store: %w", err)
	}
	return nil
}
