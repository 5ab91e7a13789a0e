// Package taint detects whether outgoing data looks copied from text that was read: a file, a page, the response of a
// server (decision 12). It compares text, so it can be wrong in both directions.
//
// A Memory stores fingerprints of the newest texts of each conversation in bounded space, not the texts. Two texts
// match if they share a word that is too long or too mixed to be a coincidence (a key, a number, an email address), or
// five words in a row. It also detects some encodings and disguises. A Memory is safe for concurrent use.
//
// It makes no decisions: package policy asks about what was found.
package taint

import (
	"encoding/base64"
	"encoding/hex"
	"hash/maphash"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Limits: conversations, texts per conversation, bytes and fingerprints per text. runLength is how many words in a row
// make a match.
const (
	maxConversations = 32
	maxTexts         = 48
	maxText          = 256 << 10
	maxFingerprints  = 20_000
	runLength        = 5
)

// Memory stores fingerprints of text that was read. Use New to create one.
type Memory struct {
	seed maphash.Seed

	mu            sync.Mutex
	conversations map[string][]readText
	// private contains the private sources of each conversation.
	private map[string][]string
	order   []string
}

type readText struct {
	source       string
	fingerprints map[uint64]struct{}
}

// New returns an empty Memory.
func New() *Memory {
	return &Memory{seed: maphash.MakeSeed(), conversations: map[string][]readText{}, private: map[string][]string{}}
}

// Record stores that the conversation read body from source. It ignores what follows the first 256 KB.
func (m *Memory) Record(conversation, source, body string) {
	prints := m.fingerprints(body[:min(len(body), maxText)])
	m.mu.Lock()
	defer m.mu.Unlock()
	m.record(conversation, source, prints)
}

// RecordPrivate is Record for a source that is the person's own, such as a file. The source is remembered longer than
// its text.
func (m *Memory) RecordPrivate(conversation, source, body string) {
	prints := m.fingerprints(body[:min(len(body), maxText)])
	m.mu.Lock()
	defer m.mu.Unlock()
	m.record(conversation, source, prints)
	if all := m.private[conversation]; len(all) < maxTexts && !slices.Contains(all, source) {
		m.private[conversation] = append(all, source)
	}
}

// record is called under the lock.
func (m *Memory) record(conversation, source string, prints map[uint64]struct{}) {
	if _, known := m.conversations[conversation]; !known {
		if len(m.order) >= maxConversations {
			delete(m.conversations, m.order[0])
			delete(m.private, m.order[0])
			m.order = m.order[1:]
		}
		m.order = append(m.order, conversation)
	}
	texts := m.conversations[conversation]
	if len(prints) > 0 {
		if len(texts) >= maxTexts {
			texts = slices.Delete(texts, 0, 1)
		}
		texts = append(texts, readText{source: source, fingerprints: prints})
	}
	m.conversations[conversation] = texts
}

// CopiedFrom returns the sorted sources that data looks copied from. own reports whether data may go back to a source,
// such as the page that it is typed into.
func (m *Memory) CopiedFrom(conversation, data string, own func(source string) bool) []string {
	m.mu.Lock()
	texts := slices.Clone(m.conversations[conversation])
	m.mu.Unlock()
	if len(texts) == 0 || data == "" {
		return nil
	}
	wanted := map[uint64]struct{}{}
	for _, form := range decodings(data[:min(len(data), maxText)]) {
		for p := range m.fingerprints(form) {
			wanted[p] = struct{}{}
		}
	}
	// Data that also occurs in a text of the target was not copied from elsewhere.
	for _, t := range texts {
		if !own(t.source) {
			continue
		}
		for p := range t.fingerprints {
			delete(wanted, p)
		}
	}
	var found []string
	for _, t := range texts {
		if own(t.source) || slices.Contains(found, t.source) {
			continue
		}
		for p := range wanted {
			if _, there := t.fingerprints[p]; there {
				found = append(found, t.source)
				break
			}
		}
	}
	slices.Sort(found)
	return found
}

// Sources returns the sorted sources that the conversation read.
func (m *Memory) Sources(conversation string) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []string
	for _, t := range m.conversations[conversation] {
		all = append(all, t.source)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Private returns the private sources that the conversation read, also those with a text that newer ones replaced.
func (m *Memory) Private(conversation string) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(slices.Values(m.private[conversation]))
}

// fingerprints returns the fingerprints of the distinctive words in a text, and of each run of words.
func (m *Memory) fingerprints(s string) map[uint64]struct{} {
	words := strings.FieldsFunc(strings.ToLower(s),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '@' && r != '_' })
	prints := map[uint64]struct{}{}
	for i, w := range words {
		if len(prints) >= maxFingerprints {
			break
		}
		if isDistinctive(w) {
			prints[maphash.String(m.seed, w)] = struct{}{}
		}
		if i+runLength <= len(words) {
			prints[maphash.String(m.seed, strings.Join(words[i:i+runLength], " "))] = struct{}{}
		}
	}
	for _, w := range groupedWords(s) {
		if len(prints) >= maxFingerprints {
			break
		}
		prints[maphash.String(m.seed, w)] = struct{}{}
	}
	return prints
}

// groupedWords returns distinctive words written in groups, without the separators: keys such as KEY-0010-9QX7, and
// card and telephone numbers. Dates are too short.
func groupedWords(s string) []string {
	var all []string
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.:", r)
	}) {
		bare := strings.NewReplacer("-", "", "_", "", ".", "", ":", "").Replace(w)
		if len(bare) < len(w) && len(bare) > 8 && isDistinctive(bare) {
			all = append(all, bare)
		}
	}
	return all
}

// isDistinctive reports whether a single word proves a copy: a long number, mixed letters and digits, an email address
// or a very long word.
func isDistinctive(w string) bool {
	letters, digits, turns, last := 0, 0, 0, 0
	for _, r := range w {
		kind := 1
		if unicode.IsDigit(r) {
			digits++
			kind = 2
		} else {
			letters++
		}
		if last != 0 && kind != last {
			turns++
		}
		last = kind
	}
	switch {
	case strings.Contains(strings.Trim(w, "@"), "@"):
		return true
	case letters == 0:
		return digits >= 6
	case digits == 0:
		return letters >= 25
	}
	return letters+digits >= 10 && (turns >= 2 || digits >= 4)
}

func decodings(data string) []string {
	forms := []string{data}
	if strings.Contains(data, "%") || strings.Contains(data, "+") {
		if plain, err := url.QueryUnescape(data); err == nil && plain != data {
			forms = append(forms, plain)
		}
	}
	for _, w := range strings.FieldsFunc(data,
		func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`"'?&,;:<>(){}[]`, r) }) {
		if _, after, found := strings.Cut(w, "="); found && strings.Trim(after, "=") != "" {
			w = after
		}
		w = strings.TrimSpace(w)
		if len(w) < 12 {
			continue
		}
		if b, err := hex.DecodeString(w); err == nil && printable(b) {
			forms = append(forms, string(b))
		}
		bare := strings.TrimRight(w, "=")
		for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			if b, err := enc.DecodeString(bare); err == nil && printable(b) {
				forms = append(forms, string(b))
				break
			}
		}
	}
	return append(forms, undisguised(data)...)
}

func undisguised(data string) []string {
	backwards := []rune(data)
	slices.Reverse(backwards)
	forms := []string{string(backwards), strings.Map(rot13, data)}
	var b strings.Builder
	single := 0
	for _, w := range strings.Fields(data) {
		if utf8.RuneCountInString(w) != 1 {
			b.WriteByte(' ')
			b.WriteString(w)
			continue
		}
		single++
		b.WriteString(w)
	}
	if single >= 6 {
		forms = append(forms, b.String())
	}
	return forms
}

func rot13(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z':
		return 'a' + (r-'a'+13)%26
	case r >= 'A' && r <= 'Z':
		return 'A' + (r-'A'+13)%26
	}
	return r
}

func printable(b []byte) bool {
	return len(b) > 0 && !slices.ContainsFunc([]rune(string(b)), func(r rune) bool {
		return r == unicode.ReplacementChar || unicode.IsControl(r) && !unicode.IsSpace(r)
	})
}
