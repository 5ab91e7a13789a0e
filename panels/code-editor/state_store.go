package codeeditor

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"sextant/backend/store/wholefile"
	"sextant/shared/wire"
)

const (
	maxTabs   = 100
	maxDrafts = 100
	maxDraft  = 3 << 20
	maxState  = 256 << 10
)

const (
	stateName = "state.json"
	draftEnd  = ".draft.json"
)

// StateStore stores the editor's open tabs and unsaved text in a folder that only its owner can read. It is safe for
// concurrent use.
type StateStore struct {
	dir     string
	changed func(wire.EditorState)

	mu     sync.Mutex
	state  wire.EditorState
	drafts map[string]wire.EditorDraft
}

// OpenStateStore returns a StateStore for dir, an absolute path that is created when something is stored. It ignores
// unreadable state. changed may be nil. It is called with the loaded and each new state, and must not call the
// StateStore.
func OpenStateStore(dir string, changed func(wire.EditorState)) *StateStore {
	if changed == nil {
		changed = func(wire.EditorState) {}
	}
	k := &StateStore{dir: dir, changed: changed, drafts: map[string]wire.EditorDraft{}}
	k.state.Tabs = []wire.EditorTab{}
	var state wire.EditorState
	if read(filepath.Join(dir, stateName), maxState, &state) == nil {
		k.state = bounded(state)
	}
	names, _ := filepath.Glob(filepath.Join(dir, "*"+draftEnd)) // the pattern is valid
	for _, name := range names[:min(len(names), maxDrafts)] {
		var d wire.EditorDraft
		if read(name, 2*maxDraft, &d) == nil && filepath.IsAbs(d.Path) && draftName(d.Path) == filepath.Base(name) {
			k.drafts[d.Path] = d
		}
	}
	changed(k.state)
	return k
}

func read(path string, most int64, into any) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Size() > most {
		return errors.New("not a draft file")
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, into)
}

func bounded(state wire.EditorState) wire.EditorState {
	tabs := []wire.EditorTab{}
	for _, tab := range state.Tabs {
		if filepath.IsAbs(tab.Path) && !strings.ContainsRune(tab.Path, 0) && len(tabs) < maxTabs {
			tabs = append(tabs, tab)
		}
	}
	state.Tabs = tabs
	if !slices.ContainsFunc(tabs, func(t wire.EditorTab) bool { return t.Path == state.Active }) {
		state.Active = ""
	}
	state.Selection = strings.ToValidUTF8(state.Selection[:min(len(state.Selection), 2000)], "")
	return state
}

// State returns the open tabs and the selection as last reported by the window.
func (s *StateStore) State() wire.EditorState {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// HasDraft reports whether the file at an absolute path has unsaved text.
func (s *StateStore) HasDraft(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.drafts[path]
	return ok
}

// Session returns the state and all drafts, sorted by path.
func (s *StateStore) Session() wire.EditorSession {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := wire.EditorSession{State: s.state, Drafts: []wire.EditorDraft{}}
	for _, d := range s.drafts {
		all.Drafts = append(all.Drafts, d)
	}
	slices.SortFunc(all.Drafts, func(a, b wire.EditorDraft) int { return strings.Compare(a.Path, b.Path) })
	return all
}

// SaveState stores the open tabs and the selection. It leaves out invalid and excess tabs. The new state counts even if
// it cannot be written to disk.
func (s *StateStore) SaveState(state wire.EditorState) error {
	state = bounded(state)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state = state
	s.changed(state)
	return s.write(stateName, state)
}

// SaveDraft stores unsaved text. The text is on disk when SaveDraft returns nil. SaveDraft returns an error if the path
// is not absolute, the text is larger than 3 MB, or 100 other files have drafts.
func (s *StateStore) SaveDraft(d wire.EditorDraft) error {
	if !filepath.IsAbs(d.Path) || strings.ContainsRune(d.Path, 0) {
		return errors.New("the draft's path is not absolute")
	}
	if len(d.Text) > maxDraft {
		return errors.New("the text is larger than 3 MB, so it is not stored before it is saved")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.drafts[d.Path]; !known && len(s.drafts) >= maxDrafts {
		return fmt.Errorf("%d files have unsaved changes; save some of them", maxDrafts)
	}
	if err := s.write(draftName(d.Path), d); err != nil {
		return err
	}
	s.drafts[d.Path] = d
	return nil
}

// DeleteDraft deletes the draft of a file that was saved, or whose changes were discarded.
func (s *StateStore) DeleteDraft(path string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.drafts, path)
	if err := os.Remove(filepath.Join(s.dir, draftName(path))); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func draftName(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:16]) + draftEnd
}

func (s *StateStore) write(name string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	return wholefile.Write(filepath.Join(s.dir, name), b, 0o600)
}
