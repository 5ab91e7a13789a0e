package redact

import (
	"slices"
	"strings"
	"unicode"
)

// strength is how likely it is that the value of a name is a secret.
type strength int

const (
	// notSecret is for names that do not suggest a secret.
	notSecret strength = iota
	// faint is for names that usually have harmless values: "state", "nonce".
	faint
	// weak is for names that secrets and harmless values share: "code", "key", "session".
	weak
	// strong is for names that only secrets have.
	strong
)

// nameStrength returns the strength of a name by its words: strong for "accessToken" and "X-Auth-Token", notSecret for
// "token_type".
func nameStrength(name string) strength {
	words := SplitName(name)
	if len(words) == 0 {
		return notSecret
	}
	// A name with one of these endings describes a secret but does not contain one.
	switch words[len(words)-1] {
	case "type", "types", "count", "limit", "length", "size", "enabled", "required", "expires", "expiry", "at", "in",
		"url", "uri", "label", "placeholder", "policy", "min", "max", "name", "field", "endpoint", "method", "status",
		"message", "title", "strength":
		return notSecret
	}
	if words[0] == "max" || words[0] == "min" || words[0] == "num" {
		return notSecret
	}
	found := notSecret
	for i, w := range words {
		switch w {
		case "pass", "pwd", "pw", "pin", "otp", "totp", "jwt", "bearer", "cookie", "cookies", "sid", "passcode",
			"signature", "cvc", "cvv":
			return strong
		case "key":
			if i > 0 && slices.Contains([]string{
				"api", "private", "access", "secret", "signing", "auth", "subscription", "license", "encryption",
				"session",
			}, words[i-1]) {
				return strong
			}
			found = weak
		case "code", "auth", "session", "sig":
			found = weak
		case "nonce", "state", "ticket", "challenge", "verifier", "assertion", "keys":
			found = max(found, faint)
		}
		for _, part := range []string{
			"password", "passwd", "passphrase", "passwort", "kennwort", "contraseña", "contrasena", "secret", "token",
			"apikey", "csrf", "xsrf", "sessid", "sessionid", "credential", "authorization",
		} {
			if strings.Contains(w, part) {
				return strong
			}
		}
	}
	if len(words) > 1 && slices.Contains(words, "session") && words[len(words)-1] == "id" {
		return strong
	}
	return found
}

func secretHeader(name string) bool {
	name = strings.ToLower(name)
	if strings.HasPrefix(name, "access-control-") || strings.HasPrefix(name, "sec-") {
		return false
	}
	s := nameStrength(name)
	return s == strong || s == weak && (strings.Contains(name, "auth") || strings.Contains(name, "key") ||
		strings.Contains(name, "session"))
}

// isSecret reports whether a value is a secret, if its name has the strength s. sent is true for the body of a request.
func (s strength) isSecret(value string, sent bool) bool {
	switch s {
	case strong:
		return true
	case weak:
		return sent || looksGenerated(value)
	case faint:
		return looksGenerated(value)
	}
	return false
}

func countsTokens(name string) bool {
	words := SplitName(name)
	return len(words) > 0 && words[len(words)-1] == "tokens"
}

// looksGenerated reports whether a value looks generated, unlike a word or a small number.
func looksGenerated(value string) bool {
	n, digits := 0, 0
	for _, r := range value {
		if unicode.IsSpace(r) {
			return false
		}
		n++
		if unicode.IsDigit(r) {
			digits++
		}
	}
	return n >= 6 && digits > 0 || n >= 24
}

// SplitName splits snake_case, kebab-case and camelCase into lower-case words.
func SplitName(name string) []string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		if unicode.IsUpper(r) && lower {
			b.WriteByte(' ')
		}
		lower = unicode.IsLower(r) || unicode.IsDigit(r)
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			r = ' '
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Fields(b.String())
}
