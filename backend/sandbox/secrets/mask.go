package secrets

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// Lengths of matches, in characters.
const (
	// A truncated value is recognized if half of it matches, but at least minPrefix and at most maxPrefix.
	minPrefix, maxPrefix = 12, 48
	// Before an ellipsis, this many are enough.
	minBeforeEllipsis = 8
	// A single line of a value is also matched if it is at least this long.
	minLine = 16
)

// masker finds values in text: unchanged, percent-encoded, escaped for JSON or HTML, in base64 (also inside a longer
// encoded text) and in hexadecimal, complete or truncated. It is immutable.
type masker struct {
	patterns []pattern
	// pairs maps the first two characters to indexes of patterns.
	pairs map[uint16][]int
	first [256]bool
}

type pattern struct {
	text, replacement string
	// minMatch is how many characters must match if the text then continues differently.
	minMatch int
}

func newMasker(values map[string]string) *masker {
	m := &masker{pairs: map[uint16][]int{}}
	for name, value := range values {
		replacement := ""
		if secret, ok := strings.CutPrefix(name, secretPrefix); ok {
			replacement = Reference(secret)
		} else {
			replacement = "{{key:" + strings.TrimPrefix(name, keyPrefix) + "}}"
		}
		if len(value) < MinValueBytes {
			continue
		}
		for _, form := range encodings(value) {
			m.patterns = append(m.patterns, pattern{
				text: form, replacement: replacement,
				minMatch: min(max(minPrefix, (len(form)+1)/2), maxPrefix),
			})
		}
	}
	// The longest pattern is first, so that a value that contains another one is masked as a whole.
	slices.SortFunc(m.patterns, func(a, b pattern) int {
		return cmp.Or(
			len(b.text)-len(a.text),
			strings.Compare(a.replacement, b.replacement),
			strings.Compare(a.text, b.text),
		)
	})
	for i, p := range m.patterns {
		key := uint16(p.text[0])<<8 | uint16(p.text[1])
		m.pairs[key] = append(m.pairs[key], i)
		m.first[p.text[0]] = true
	}
	return m
}

func encodings(value string) []string {
	all := []string{value}
	add := func(form string, least int) {
		if len(form) >= least && !slices.Contains(all, form) {
			all = append(all, form)
		}
	}
	for shift := range 3 {
		for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			text := enc.EncodeToString(append(make([]byte, shift), value...))
			if (shift+len(value))%3 != 0 {
				text = text[:len(text)-1] // the last character depends on the bytes that follow
			}
			add(text[min(len(text), []int{0, 2, 3}[shift]):], MinValueBytes)
		}
	}
	add(hex.EncodeToString([]byte(value)), MinValueBytes)
	add(strings.ToUpper(hex.EncodeToString([]byte(value))), MinValueBytes)
	if b, err := json.Marshal(value); err == nil {
		// match decodes only one level of JSON escapes, so JSON within JSON needs its own pattern.
		add(strings.Trim(string(b), `"`), MinValueBytes)
	}
	if strings.ContainsAny(value, "\r\n") {
		for line := range strings.Lines(value) {
			if line = strings.TrimSpace(line); !strings.HasPrefix(line, "-----") {
				add(line, minLine)
			}
		}
	}
	if u, err := url.Parse(value); err == nil && u.User != nil {
		if password, ok := u.User.Password(); ok {
			add(password, MinValueBytes)
		}
	}
	return all
}

// Mask replaces the known values in text: those of secrets by their references, Sextant's own keys by {{key:name}}. It
// ignores values shorter than MinValueBytes. A nil Vault masks nothing.
func (v *Vault) Mask(text string) string {
	if v == nil {
		return text
	}
	return v.currentMasker().mask(text)
}

func (v *Vault) currentMasker() *masker {
	// Another process may have saved a value. If mu is locked, its owner refreshes.
	if v.mu.TryLock() {
		v.refresh()
		v.mu.Unlock()
	}
	return v.masker.Load()
}

// MaskJSON is like Mask for a JSON text. If text is valid JSON, so is the result.
func (v *Vault) MaskJSON(text []byte) []byte {
	if v == nil {
		return text
	}
	m := v.currentMasker()
	if len(m.patterns) == 0 {
		return text
	}
	s := string(text)
	masked := m.mask(s)
	if masked == s {
		return text
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var value any
	if dec.Decode(&value) != nil {
		return []byte(masked)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(m.maskValue(value)) != nil {
		return []byte("null")
	}
	return bytes.TrimSpace(b.Bytes())
}

func (m *masker) maskValue(value any) any {
	switch value := value.(type) {
	case string:
		return m.mask(value)
	case json.Number:
		if s := value.String(); m.mask(s) != s {
			return m.mask(s)
		}
	case []any:
		for i, inner := range value {
			value[i] = m.maskValue(inner)
		}
	case map[string]any:
		for name, inner := range value {
			if shown := m.mask(name); shown != name {
				delete(value, name)
				name = shown
			}
			value[name] = m.maskValue(inner)
		}
	}
	return value
}

func (m *masker) mask(text string) string {
	if len(m.patterns) == 0 || len(text) < MinValueBytes {
		return text
	}
	var out strings.Builder
	copied := 0
	for i := 0; i < len(text); {
		c := text[i]
		if !m.first[c] && c != '%' && c != '\\' && c != '&' && c != '+' {
			i++
			continue
		}
		end, replacement := m.find(text, i)
		if end == 0 {
			i++
			continue
		}
		out.WriteString(text[copied:i])
		out.WriteString(replacement)
		i, copied = end, end
	}
	if copied == 0 {
		return text
	}
	return out.String() + text[copied:]
}

// find returns the end and the replacement of a value that begins at i; end is 0 if there is none. It prefers a
// complete value to a truncated one, and a longer match to a shorter one.
func (m *masker) find(text string, i int) (end int, replacement string) {
	for _, a := range decodings(text, i) {
		if a.size == 0 {
			continue
		}
		for _, b := range startPairs(text, i, a) {
			for _, k := range m.pairs[b] {
				p := &m.patterns[k]
				stop, matched := p.match(text, i)
				if matched == len(p.text) {
					return stop, p.replacement
				}
				isEnough := matched >= p.minMatch ||
					matched >= min(minBeforeEllipsis, len(p.text)) && startsWithEllipsis(text[stop:])
				if stop > end && isEnough {
					end, replacement = stop, p.replacement
				}
			}
		}
	}
	return end, replacement
}

// startPairs returns the pairs of characters that the text at i can begin with. a is the decoding of the first
// character.
func startPairs(text string, i int, a decoding) []uint16 {
	if len(a.text) > 1 {
		return []uint16{uint16(a.text[0])<<8 | uint16(a.text[1])}
	}
	var keys []uint16
	for _, b := range decodings(text, i+a.size) {
		if b.size > 0 {
			keys = append(keys, uint16(a.text[0])<<8|uint16(b.text[0]))
		}
	}
	return keys
}

func startsWithEllipsis(rest string) bool {
	return strings.HasPrefix(rest, "…") || strings.HasPrefix(rest, "...") || strings.HasPrefix(rest, `\u2026`)
}

const maxForks = 64

// match matches as much of the pattern as possible at i. It returns the offset in text where it stopped, and how many
// characters of the pattern matched.
func (p *pattern) match(text string, i int) (stop, matched int) {
	type state struct{ i, k int } // positions in text and in the pattern
	open := []state{{i, 0}}
	for forks := 0; len(open) > 0 && forks < maxForks; {
		r := open[len(open)-1]
		open = open[:len(open)-1]
		for r.k < len(p.text) && r.i < len(text) {
			var next [2]state
			n := 0
			for _, u := range decodings(text, r.i) {
				if u.size > 0 && strings.HasPrefix(p.text[r.k:], u.text) {
					next[n] = state{r.i + u.size, r.k + len(u.text)}
					n++
				}
			}
			if n == 0 {
				break
			}
			if n == 2 {
				open = append(open, next[0])
				forks++
			}
			r = next[n-1]
		}
		if r.k > matched {
			stop, matched = r.i, r.k
		}
		if matched == len(p.text) {
			break
		}
	}
	return stop, matched
}

const maxPendingBytes = 16 << 10

// PendingSuffix returns how many bytes at the end of text could be the beginning of a value, at most 16 KB. A caller
// that streams text must hold them back until the rest arrives.
func (v *Vault) PendingSuffix(text string) int {
	if v == nil {
		return 0
	}
	m := v.currentMasker()
	if len(m.patterns) == 0 {
		return 0
	}
	for i := max(0, len(text)-maxPendingBytes); i < len(text); i++ {
		if c := text[i]; !m.first[c] && c != '%' && c != '\\' && c != '&' && c != '+' {
			continue
		}
		for k := range m.patterns {
			stop, matched := m.patterns[k].match(text, i)
			if matched < len(m.patterns[k].text) && isPartialEscape(text[max(stop, i):]) {
				return len(text) - i
			}
		}
	}
	return 0
}

// isPartialEscape reports whether rest is empty or the beginning of an escape.
func isPartialEscape(rest string) bool {
	if rest == "" {
		return true
	}
	if decodeEscape(rest).size > 0 {
		return false
	}
	switch rest[0] {
	case '%':
		return len(rest) < 3
	case '\\':
		return len(rest) < 2 || rest[1] == 'u' && len(rest) < 12 || rest[1] == 'x' && len(rest) < 4
	case '&':
		return len(rest) < 12 && !strings.ContainsAny(rest, "; ")
	}
	return false
}
