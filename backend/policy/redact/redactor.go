// Package redact hides secrets in text from a page or a server before a model reads it: values of fields with secret
// names, keys of well-known kinds, and known secrets, such as those typed into a password field.
//
// It decides by names and shapes, and hides too much rather than too little. It gives no guarantee: it does not hide an
// unknown secret with a harmless name and an unknown shape.
package redact

import (
	"encoding/base64"
	"html"
	"net/url"
	"slices"
	"strings"
)

// Placeholder replaces each hidden value.
const Placeholder = "•••"

// minSecretLength is the minimum length of a known secret in bytes. A shorter one could occur in harmless text by
// chance.
const minSecretLength = 4

const maxKinds = 20

// Redactor hides secrets in the parts of one response. The zero value knows no secrets. It is not safe for concurrent
// use.
type Redactor struct {
	secrets []string
	kinds   []string
	hidden  int
}

// New returns a Redactor that also hides the given secrets, as they are and encoded for URLs, JSON, HTML or base64. It
// ignores secrets of less than 4 bytes.
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
	// If a secret contains another one, the longer one is hidden first.
	slices.SortStableFunc(r.secrets, func(a, b string) int { return len(b) - len(a) })
	return r
}

// CountHidden returns how many values were hidden so far, and their kinds without duplicates, such as "password in the
// request body". The names in kinds come from the page; they are truncated but not sanitized.
func (r *Redactor) CountHidden() (n int, kinds []string) { return r.hidden, slices.Clone(r.kinds) }

func (r *Redactor) mark(what, where string) string {
	r.hidden++
	if r := []rune(what); len(r) > 60 {
		what = string(r[:60]) + "…"
	}
	if kind := what + " in " + where; len(r.kinds) < maxKinds && !slices.Contains(r.kinds, kind) {
		r.kinds = append(r.kinds, kind)
	}
	return Placeholder
}

// Header returns the value of a header with its secrets hidden.
func (r *Redactor) Header(name, value, where string) string {
	if value != "" && secretHeader(name) {
		return r.mark(name, where)
	}
	return r.Text(r.parameters(value, where), where)
}

// Address returns a URL without its password and without the values of secret parameters.
func (r *Redactor) Address(address string) string {
	const where = "the address"
	return r.Text(r.parameters(address, where), where)
}

// Body returns the body of a request or response with its secrets hidden. kind is its media type, "" if it is unknown.
// sent is true for a request, in which ambiguous names such as "code" and "key" count as secret.
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

// Texts returns the results of Text for each of texts.
func (r *Redactor) Texts(texts []string, where string) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = r.Text(text, where)
	}
	return out
}

// Text hides known secrets, passwords in URLs, and keys and tokens of well-known shapes. It ignores names.
func (r *Redactor) Text(text, where string) string {
	for _, w := range r.secrets {
		if n := strings.Count(text, w); n > 0 {
			r.mark("what a password field got", where)
			r.hidden += n - 1
			text = strings.ReplaceAll(text, w, Placeholder)
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
			if secret == Placeholder {
				return found
			}
			at := strings.LastIndex(found, secret)
			return found[:at] + r.mark(k.name, where) + found[at+len(secret):]
		})
	}
	return text
}
