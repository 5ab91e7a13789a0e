package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"sextant/backend/store/wholefile"
	"sextant/shared/toolspec"
)

const (
	maxOwners = 128
	maxKnown  = 4096
	// maxSaved is how many files of all owners are known after a restart.
	maxSaved = 4096
)

// Stamp describes a file at the time it was read or written. Hash is "" for a file too large to hash.
type Stamp struct {
	Size     int64
	Modified time.Time
	Hash     string
}

type knowledge struct {
	mu     sync.Mutex
	owners map[string]map[string]Stamp
	// order has the owner that acted last at its end.
	order []string
	// lasting are the owners that act again after a restart.
	lasting map[string]bool
	// changed is true if what they know is not saved.
	changed bool
}

func (k *knowledge) set(from toolspec.Provenance, path string, s Stamp) {
	k.mu.Lock()
	defer k.mu.Unlock()
	owner := from.Owner()
	k.put(owner, path, s)
	if from.Conversation == "" && from.Session == "" {
		k.lasting[owner], k.changed = true, true
	}
}

func (k *knowledge) put(owner, path string, s Stamp) {
	if k.owners == nil {
		k.lasting = map[string]bool{}
		k.owners = map[string]map[string]Stamp{}
	}
	if k.owners[owner] == nil {
		if len(k.order) >= maxOwners {
			delete(k.owners, k.order[0])
			delete(k.lasting, k.order[0])
			k.order = k.order[1:]
		}
		k.owners[owner] = map[string]Stamp{}
		k.order = append(k.order, owner)
	}
	files := k.owners[owner]
	if _, known := files[path]; !known && len(files) >= maxKnown {
		for other := range files {
			delete(files, other) // it then counts as unread
			break
		}
	}
	files[path] = s
	if last := len(k.order) - 1; k.order[last] != owner {
		at := slices.Index(k.order, owner)
		k.order = append(slices.Delete(k.order, at, at+1), owner)
	}
}

func (k *knowledge) get(from toolspec.Provenance, path string) (Stamp, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	s, ok := k.owners[from.Owner()][path]
	return s, ok
}

func (k *knowledge) forget(from toolspec.Provenance, path string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.owners[from.Owner()], path)
	k.changed = k.changed || k.lasting[from.Owner()]
}

func (k *knowledge) forgetConversation(id string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	owner := toolspec.Provenance{Conversation: id}.Owner()
	delete(k.owners, owner)
	k.order = slices.DeleteFunc(k.order, func(o string) bool { return o == owner })
}

// ownersFiles is what one owner knows, as it is saved. The stamps are by path.
type ownersFiles struct {
	Owner string           `json:"owner"`
	Files map[string]Stamp `json:"files"`
}

// load reads what save wrote. A missing file is no error.
func (k *knowledge) load(file string) error {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading which files were read before: %w", err)
	}
	var saved []ownersFiles
	if err := json.Unmarshal(text, &saved); err != nil {
		return fmt.Errorf("reading which files were read before: %s: %w", file, err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, o := range saved {
		for path, s := range o.Files {
			k.put(o.Owner, path, s)
			k.lasting[o.Owner] = true
		}
	}
	return nil
}

// save writes what the lasting owners know to a file, if that has changed. Beyond maxSaved files, the owners that have
// not acted for longest are left out.
func (k *knowledge) save(file string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.changed {
		return nil
	}
	var saved []ownersFiles
	n := 0
	for _, owner := range slices.Backward(k.order) {
		if !k.lasting[owner] {
			continue
		}
		if n += len(k.owners[owner]); n > maxSaved {
			break
		}
		saved = append(saved, ownersFiles{owner, k.owners[owner]})
	}
	slices.Reverse(saved)
	text, err := json.Marshal(saved)
	if err != nil {
		return fmt.Errorf("saving which files were read: %w", err)
	}
	if err := wholefile.Write(file, text, 0o600); err != nil {
		return fmt.Errorf("saving which files were read: %w", err)
	}
	k.changed = false
	return nil
}

type locks struct {
	mu   sync.Mutex
	held map[string]*lock
}

type lock struct {
	sync.Mutex
	users int
}

func (l *locks) lock(path string) (release func()) {
	l.mu.Lock()
	if l.held == nil {
		l.held = map[string]*lock{}
	}
	k := l.held[path]
	if k == nil {
		k = &lock{}
		l.held[path] = k
	}
	k.users++
	l.mu.Unlock()
	k.Lock()
	return func() {
		k.Unlock()
		l.mu.Lock()
		defer l.mu.Unlock()
		if k.users--; k.users == 0 {
			delete(l.held, path)
		}
	}
}
