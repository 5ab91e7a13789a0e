// Package secrets remembers what was typed into password fields and log-ins, so that it can be masked.
package secrets

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds of the secrets that a session remembers; the oldest are forgotten first.
const (
	maxSecrets = 64
	maxSecret  = 1000
)

// Store are what password fields, log-ins and prompts for a password got in a session, whoever
// typed it, so that no answer about the page's traffic shows it. It is guarded by the manager's lock.
type Store struct{ list []secret }

// secret is one secret; field names where it was typed, "" for one that was given whole.
type secret struct{ field, text string }

// Add remembers text. What a field gets key by key is remembered as its longest.
func (s *Store) Add(field, text string) {
	for len(text) > maxSecret || !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text[:min(len(text), maxSecret)], "")
	}
	if text == "" {
		return
	}
	if i := slices.IndexFunc(s.list, func(o secret) bool {
		return o.text == text || field != "" && o.field == field &&
			(strings.HasPrefix(text, o.text) || strings.HasPrefix(o.text, text))
	}); i >= 0 {
		if len(text) > len(s.list[i].text) {
			s.list[i].text = text
		}
		return
	}
	if len(s.list) >= maxSecrets {
		s.list = slices.Delete(s.list, 0, len(s.list)-maxSecrets+1)
	}
	s.list = append(s.list, secret{field, text})
}

// Texts are all remembered secrets.
func (s *Store) Texts() []string {
	words := make([]string, len(s.list))
	for i, x := range s.list {
		words[i] = x.text
	}
	return words
}
