// Package veil hides what looks like a secret in text that a page or a server wrote and a model is
// about to read: values whose name says that they let somebody in, keys of well-known kinds, and
// secrets that are known to be secret because a password field got them.
//
// The contract: a Veil never makes text longer than by its marks and never fails; what it hides is
// counted and told by kind. It works by names and shapes, so that it hides too much rather than
// too little where the two cannot be told apart, and it is no promise: a secret under a harmless
// name in a shape of its own is shown. It is not a store of secrets and not the policy.
package redact

import (
	"encoding/base64"
	"html"
	"net/url"
	"slices"
	"strings"
)

// Mark stands where something was hidden.
const Mark = "•••"

// minSecretLength is how long a known word has to be, in bytes, to be looked for: a shorter one stands
// in harmless text by chance.
const minSecretLength = 4

// maxKinds bounds the kinds that are told one by one.
const maxKinds = 20

// Redactor hides secrets in the parts of one answer. The zero value knows no words. It is for one
// goroutine.
type Redactor struct {
	secrets []string
	kinds   []string
	hidden  int
}

// New returns a Veil that also hides words wherever they stand, as they are and as addresses,
// JSON and HTML write them.
func New(words []string) *Redactor {
	v := &Redactor{}
	for _, w := range words {
		if len(w) < minSecretLength {
			continue
		}
		for _, form := range []string{
			w, url.QueryEscape(w), url.PathEscape(w), jsonText(w), html.EscapeString(w),
			base64.StdEncoding.EncodeToString([]byte(w)), base64.RawURLEncoding.EncodeToString([]byte(w)),
		} {
			if !slices.Contains(v.secrets, form) {
				v.secrets = append(v.secrets, form)
			}
		}
	}
	// A word that holds another one is hidden whole.
	slices.SortStableFunc(v.secrets, func(a, b string) int { return len(b) - len(a) })
	return v
}

// Hidden is how many values were hidden so far, and what they were, each kind once: "password in
// the request body". Names in it are the page's own, cut but not cleaned.
func (v *Redactor) Hidden() (n int, kinds []string) { return v.hidden, slices.Clone(v.kinds) }

// mark counts one hidden value.
func (v *Redactor) mark(what, where string) string {
	v.hidden++
	if r := []rune(what); len(r) > 60 {
		what = string(r[:60]) + "…"
	}
	if kind := what + " in " + where; len(v.kinds) < maxKinds && !slices.Contains(v.kinds, kind) {
		v.kinds = append(v.kinds, kind)
	}
	return Mark
}

// Header is a header's value as it may be shown.
func (v *Redactor) Header(name, value, where string) string {
	if value != "" && secretHeader(name) {
		return v.mark(name, where)
	}
	return v.Text(v.parameters(value, where), where)
}

// Address is an address as it may be shown: without a password, without the values of secret
// names in its query and fragment.
func (v *Redactor) Address(address string) string {
	const where = "the address"
	return v.Text(v.parameters(address, where), where)
}

// Body is a request's or an answer's text as it may be shown; kind is its media type, "" when not
// known. asked is true for what was sent: there, names that could be harmless in an answer ("code",
// "key") are taken for secret.
func (v *Redactor) Body(kind, text, where string, asked bool) string {
	kind, _, _ = strings.Cut(strings.ToLower(kind), ";")
	trimmed := strings.TrimSpace(text)
	switch {
	case text == "":
		return ""
	case strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "["):
		return v.json(text, where, asked, 0)
	case strings.Contains(kind, "multipart/") || strings.HasPrefix(text, "--"):
		text = v.multipart(text, where)
	case strings.Contains(kind, "urlencoded") || looksLikeForm(trimmed):
		return v.Text(v.form(text, where), where)
	case strings.Contains(kind, "html") || strings.HasPrefix(trimmed, "<"):
		text = v.markup(text, where)
	}
	return v.Text(v.parameters(v.assignments(text, where, asked), where), where)
}

// Text hides known words, keys of well-known kinds and passwords in addresses, and nothing else.
func (v *Redactor) Text(text, where string) string {
	for _, w := range v.secrets {
		if n := strings.Count(text, w); n > 0 {
			v.mark("what a password field got", where)
			v.hidden += n - 1
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
			return found[:at] + v.mark(k.name, where) + found[at+len(secret):]
		})
	}
	return text
}
