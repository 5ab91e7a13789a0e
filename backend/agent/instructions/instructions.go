// Package instructions stores what the person wants the assistant to follow in every turn: everywhere, and in folders.
// The texts are the person's own. A file in a folder is not read, because others may have written it.
package instructions

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// MaxText is the maximum length of a text in characters, since it costs tokens in every request. MaxFolders is how many
// folders can have one.
const (
	MaxText    = 8_000
	MaxFolders = 200
)

// Everywhere is the folder of the text that holds in all folders.
const Everywhere = ""

// settingKey stores the texts as a JSON object from folder to text.
const settingKey = "own_instructions"

// Settings stores values by key.
type Settings interface {
	Setting(ctx context.Context, key string) (value string, ok bool, err error)
	SetSetting(ctx context.Context, key, value string) error
}

// FolderText is a text and its folder, an absolute path or Everywhere, in and below which it holds.
type FolderText struct {
	Folder string `json:"folder"`
	Text   string `json:"text"`
}

// Instructions are the stored texts. The methods may be called concurrently.
type Instructions struct {
	settings Settings
	mu       sync.RWMutex
	texts    map[string]string
}

// Open reads the stored texts.
func Open(ctx context.Context, settings Settings) (*Instructions, error) {
	i := &Instructions{settings: settings, texts: map[string]string{}}
	stored, ok, err := settings.Setting(ctx, settingKey)
	if err == nil && ok {
		err = json.Unmarshal([]byte(stored), &i.texts)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the instructions: %w", err)
	}
	return i, nil
}

// List returns all texts, sorted by folder, so that the one for everywhere is first.
func (i *Instructions) List() []FolderText {
	i.mu.RLock()
	defer i.mu.RUnlock()
	out := make([]FolderText, 0, len(i.texts))
	for _, folder := range slices.Sorted(maps.Keys(i.texts)) {
		out = append(out, FolderText{folder, i.texts[folder]})
	}
	return out
}

// Set stores the text of a folder or of Everywhere. A blank text removes it. Errors are for the person.
func (i *Instructions) Set(ctx context.Context, folder, text string) error {
	text = strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD"))
	if folder != Everywhere {
		if !filepath.IsAbs(folder) {
			return fmt.Errorf("%q is not an absolute path", folder)
		}
		folder = filepath.Clean(folder)
	}
	if n := utf8.RuneCountInString(text); n > MaxText {
		return fmt.Errorf("the text has %d characters, and at most %d are sent with every request; shorten it", n,
			MaxText)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	next := maps.Clone(i.texts)
	next[folder] = text
	if text == "" {
		delete(next, folder)
	}
	if len(next) > MaxFolders && len(next) > len(i.texts) {
		return errors.New("too many folders have instructions; remove those of another folder first")
	}
	b, err := json.Marshal(next)
	if err != nil {
		return fmt.Errorf("storing the instructions: %w", err)
	}
	if err := i.settings.SetSetting(ctx, settingKey, string(b)); err != nil {
		return fmt.Errorf("storing the instructions: %w", err)
	}
	i.texts = next
	return nil
}

// In returns what holds in folder: the text for everywhere, then those of the folders that contain it, the nearest
// last. It returns "" if there is none.
func (i *Instructions) In(folder string) string {
	folder = filepath.Clean(folder)
	var parts []string
	entries := i.List()
	slices.SortStableFunc(entries, func(a, b FolderText) int { return cmp.Compare(len(a.Folder), len(b.Folder)) })
	for _, e := range entries {
		switch {
		case e.Folder == Everywhere:
			parts = append(parts, e.Text)
		case contains(e.Folder, folder):
			parts = append(parts, "In the folder "+e.Folder+":\n"+e.Text)
		}
	}
	return strings.Join(parts, "\n\n")
}

func contains(parent, folder string) bool {
	return folder == parent || strings.HasPrefix(folder, strings.TrimSuffix(parent, "/")+"/")
}
