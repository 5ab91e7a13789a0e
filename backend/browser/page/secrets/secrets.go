// Package secrets remembers what was typed into password fields and logins, so that it can be masked.
package secrets

import (
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	maxSecrets = 64
	maxSecret  = 1000
)

// Store contains the secrets that were typed in a session, so that they can be masked. It is guarded by the lock of
// page.Manager.
type Store struct{ list []secret }

// field is where the secret was typed, "" for a text that no field reported.
type secret struct{ field, text string }

// Add adds a secret, of which it keeps at most maxSecret bytes. A longer text of the same field replaces its prefix.
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

// Texts returns all remembered secrets.
func (s *Store) Texts() []string {
	texts := make([]string, len(s.list))
	for i, x := range s.list {
		texts[i] = x.text
	}
	return texts
}
