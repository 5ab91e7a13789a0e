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

// Bounds of what is looked for.
const (
	// A value that is cut off is known by this many of its characters, or half of it.
	fewest, most = 12, 48
	// Before an ellipsis fewer are enough.
	beforeDots = 8
	// lineLeast is how long a line of a value has to be to be looked for by itself.
	lineLeast = 16
)

// masker finds values in text: as they are, as addresses, JSON and HTML write them, in base64 (also
// behind other text) and in hexadecimal, whole or cut off. It never changes.
type masker struct {
	patterns []pattern
	// pairs are the first two characters of patterns.
	pairs map[uint16][]int
	first [256]bool
}

// pattern is one form of a value.
type pattern struct {
	text, mark string
	// least is how much of it is enough where the text goes on otherwise.
	least int
}

func newMasker(values map[string]string) *masker {
	m := &masker{pairs: map[uint16][]int{}}
	for name, value := range values {
		mark := ""
		if secret, ok := strings.CutPrefix(name, secretPrefix); ok {
			mark = Ref(secret)
		} else {
			mark = "{{key:" + strings.TrimPrefix(name, keyPrefix) + "}}"
		}
		if len(value) < MinValue {
			continue
		}
		for _, form := range forms(value) {
			m.patterns = append(m.patterns, pattern{
				text: form, mark: mark,
				least: min(max(fewest, (len(form)+1)/2), most),
			})
		}
	}
	// The longest first: a value that holds another one is taken out whole.
	slices.SortFunc(m.patterns, func(a, b pattern) int {
		return cmp.Or(len(b.text)-len(a.text), strings.Compare(a.mark, b.mark), strings.Compare(a.text, b.text))
	})
	for i, p := range m.patterns {
		key := uint16(p.text[0])<<8 | uint16(p.text[1])
		m.pairs[key] = append(m.pairs[key], i)
		m.first[p.text[0]] = true
	}
	return m
}

// forms are what is looked for of a value; percent signs, JSON and HTML are read by match.
func forms(value string) []string {
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
				text = text[:len(text)-1] // depends on what follows
			}
			add(text[min(len(text), []int{0, 2, 3}[shift]):], MinValue)
		}
	}
	add(hex.EncodeToString([]byte(value)), MinValue)
	add(strings.ToUpper(hex.EncodeToString([]byte(value))), MinValue)
	if b, err := json.Marshal(value); err == nil {
		// JSON within JSON is read once by match.
		add(strings.Trim(string(b), `"`), MinValue)
	}
	if strings.ContainsAny(value, "\r\n") {
		for line := range strings.Lines(value) {
			if line = strings.TrimSpace(line); !strings.HasPrefix(line, "-----") {
				add(line, lineLeast)
			}
		}
	}
	if u, err := url.Parse(value); err == nil && u.User != nil {
		if password, ok := u.User.Password(); ok {
			add(password, MinValue)
		}
	}
	return all
}

// Mask is text with the references in place of the values it holds. Without secrets it costs
// nothing.
func (v *Vault) Mask(text string) string {
	if v == nil {
		return text
	}
	return v.masks().mask(text)
}

// masks is what is looked for now.
func (v *Vault) masks() *masker {
	// Another process may have saved one; a lock that is held means that this one is about to know.
	if v.mu.TryLock() {
		v.fresh()
		v.mu.Unlock()
	}
	return v.mask.Load()
}

// Holds reports whether text holds a value.
func (v *Vault) Holds(text string) bool { return v.Mask(text) != text }

// MaskJSON is Mask for a JSON text: what comes back is JSON, as it was when it holds no value.
func (v *Vault) MaskJSON(text []byte) []byte {
	if v == nil {
		return text
	}
	m := v.masks()
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
	if enc.Encode(m.walk(value)) != nil {
		return []byte("null")
	}
	return bytes.TrimSpace(b.Bytes())
}

// walk masks every text in a decoded JSON value.
func (m *masker) walk(value any) any {
	switch value := value.(type) {
	case string:
		return m.mask(value)
	case json.Number:
		if s := value.String(); m.mask(s) != s {
			return m.mask(s)
		}
	case []any:
		for i, inner := range value {
			value[i] = m.walk(inner)
		}
	case map[string]any:
		for name, inner := range value {
			if shown := m.mask(name); shown != name {
				delete(value, name)
				name = shown
			}
			value[name] = m.walk(inner)
		}
	}
	return value
}

func (m *masker) mask(text string) string {
	if len(m.patterns) == 0 || len(text) < MinValue {
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
		end, mark := m.at(text, i)
		if end == 0 {
			i++
			continue
		}
		out.WriteString(text[copied:i])
		out.WriteString(mark)
		i, copied = end, end
	}
	if copied == 0 {
		return text
	}
	return out.String() + text[copied:]
}

// at finds a value that begins at i, and where it ends; 0 for none. A whole one goes before one
// that is cut off, and more of one before less.
func (m *masker) at(text string, i int) (end int, mark string) {
	for _, a := range units(text, i) {
		if a.n == 0 {
			continue
		}
		for _, b := range pairsOf(text, i, a) {
			for _, k := range m.pairs[b] {
				p := &m.patterns[k]
				stop, met := p.match(text, i)
				if met == len(p.text) {
					return stop, p.mark
				}
				if stop > end && (met >= p.least || met >= min(beforeDots, len(p.text)) && dots(text[stop:])) {
					end, mark = stop, p.mark
				}
			}
		}
	}
	return end, mark
}

// pairsOf are the pairs of characters that the text at i can begin with when its first unit is a.
func pairsOf(text string, i int, a unit) []uint16 {
	if len(a.says) > 1 {
		return []uint16{uint16(a.says[0])<<8 | uint16(a.says[1])}
	}
	var keys []uint16
	for _, b := range units(text, i+a.n) {
		if b.n > 0 {
			keys = append(keys, uint16(a.says[0])<<8|uint16(b.says[0]))
		}
	}
	return keys
}

func dots(rest string) bool {
	return strings.HasPrefix(rest, "…") || strings.HasPrefix(rest, "...") || strings.HasPrefix(rest, `\u2026`)
}

// maxForks bounds how many readings of one place are tried.
const maxForks = 64

// match reads as much of the pattern as stands in text at i: where it stops and how many characters
// of the pattern that is.
func (p *pattern) match(text string, i int) (stop, met int) {
	type reading struct{ i, k int }
	open := []reading{{i, 0}}
	for forks := 0; len(open) > 0 && forks < maxForks; {
		r := open[len(open)-1]
		open = open[:len(open)-1]
		for r.k < len(p.text) && r.i < len(text) {
			var next [2]reading
			n := 0
			for _, u := range units(text, r.i) {
				if u.n > 0 && strings.HasPrefix(p.text[r.k:], u.says) {
					next[n] = reading{r.i + u.n, r.k + len(u.says)}
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
		if r.k > met {
			stop, met = r.i, r.k
		}
		if met == len(p.text) {
			break
		}
	}
	return stop, met
}
