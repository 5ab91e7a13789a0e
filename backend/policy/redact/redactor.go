// Package redact hides what looks like a secret in text that a page or a server wrote and a model is about to read:
// values with the name of a secret, keys of well-known kinds, and secrets that are known because they were typed into a
// password field.
//
// The contract: a Redactor never fails, and makes text longer only by its marks. It counts what it hides, and names the
// kinds. It works by names and shapes and hides too much rather than too little. It is no guarantee: a secret with a
// harmless name and an unknown shape is shown.
//
// It does not store secrets and does not decide about calls.
package redact

import (
	"encoding/base64"
	"html"
	"net/url"
	"slices"
	"strings"
)

// Mark replaces what was hidden.
const Mark = "•••"

// minSecretLength is the least length, in bytes, of a known secret: a shorter one occurs in harmless text by chance.
const minSecretLength = 4

// maxKinds is how many kinds Hidden returns at most.
const maxKinds = 20

// Redactor hides secrets in the parts of one answer. The zero value knows no secrets. It must not be used by several
// goroutines at once.
type Redactor struct {
	secrets []string
	kinds   []string
	hidden  int
}

// New returns a Redactor that also hides secrets wherever they occur, as they are and as addresses, JSON, HTML and
// base64 encode them.
func New(secrets []string) *Redactor {
	r := &Redactor{}
	for _, w := range secrets {
		if len(w) < minSecretLength {
			continue
		}
		for _, form := range []string{
			w, url.QueryEscape(w), url.PathEscape(w), jsonText(w), html.EscapeString(w),
			base64.StdEncoding.EncodeToString([]byte(w)), base64.RawURLEncoding.EncodeToString([]byte(w)),
		} {
			if !slices.Contains(r.secrets, form) {
				r.secrets = append(r.secrets, form)
			}
		}
	}
	// A secret that contains another one is hidden as a whole.
	slices.SortStableFunc(r.secrets, func(a, b string) int { return len(b) - len(a) })
	return r
}

// Hidden returns how many values were hidden so far, and what they were, each kind once: "password in the request
// body". Names in it come from the page; they are cut but not cleaned.
func (r *Redactor) Hidden() (n int, kinds []string) { return r.hidden, slices.Clone(r.kinds) }

// mark counts a hidden value and returns its replacement.
func (r *Redactor) mark(what, where string) string {
	r.hidden++
	if r := []rune(what); len(r) > 60 {
		what = string(r[:60]) + "…"
	}
	if kind := what + " in " + where; len(r.kinds) < maxKinds && !slices.Contains(r.kinds, kind) {
		r.kinds = append(r.kinds, kind)
	}
	return Mark
}

// Header returns the value of a header as it may be shown.
func (r *Redactor) Header(name, value, where string) string {
	if value != "" && secretHeader(name) {
		return r.mark(name, where)
	}
	return r.Text(r.parameters(value, where), where)
}

// Address returns an address as it may be shown: without a password, and without the values of secret parameters.
func (r *Redactor) Address(address string) string {
	const where = "the address"
	return r.Text(r.parameters(address, where), where)
}

// Body returns the text of a request or an answer as it may be shown. kind is its media type, "" when that is not
// known. sent is true for a request: there, names that could be harmless in an answer ("code", "key") count as secret.
func (r *Redactor) Body(kind, text, where string, sent bool) string {
	kind, _, _ = strings.Cut(strings.ToLower(kind), ";")
	trimmed := strings.TrimSpace(text)
	switch {
	case text == "":
		return ""
	case strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "["):
		return r.json(text, where, sent, 0)
	case strings.Contains(kind, "multipart/") || strings.HasPrefix(text, "--"):
		text = r.multipart(text, where)
	case strings.Contains(kind, "urlencoded") || looksLikeForm(trimmed):
		return r.Text(r.form(text, where), where)
	case strings.Contains(kind, "html") || strings.HasPrefix(trimmed, "<"):
		text = r.markup(text, where)
	}
	return r.Text(r.parameters(r.assignments(text, where, sent), where), where)
}

// Text hides known secrets, keys of well-known kinds and passwords in addresses, and nothing else.
func (r *Redactor) Text(text, where string) string {
	for _, w := range r.secrets {
		if n := strings.Count(text, w); n > 0 {
			r.mark("what a password field got", where)
			r.hidden += n - 1
			text = strings.ReplaceAll(text, w, Mark)
		}
	}
	for _, k := range secretPatterns() {
		text = k.shape.ReplaceAllStringFunc(text, func(found string) string {
			m := k.shape.FindStringSubmatch(found)
			if k.accept != nil && !k.accept(m[len(m)-1]) {
				return found
			}
			secret := found
			if len(m) > 1 {
				secret = m[len(m)-1]
			}
			if secret == Mark {
				return found
			}
			at := strings.LastIndex(found, secret)
			return found[:at] + r.mark(k.name, where) + found[at+len(secret):]
		})
	}
	return text
}
