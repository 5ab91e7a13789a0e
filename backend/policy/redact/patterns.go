package redact

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// secretPattern recognizes one kind of secret by its shape. It hides the last group of shape, or the whole match if
// there is no group. If accept is not nil, it must return true.
type secretPattern struct {
	name   string
	shape  *regexp.Regexp
	accept func(secret string) bool
}

// secretPatterns returns the documented shapes of keys and tokens.
var secretPatterns = sync.OnceValue(func() []secretPattern {
	return []secretPattern{
		{"private key", regexp.MustCompile(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|$)`), nil},
		{"signed token", regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]*){0,3}`), nil},
		{"access key", regexp.MustCompile(`\b(?:[sr]k_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{16,}|sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})`), nil},
		{"access key", regexp.MustCompile(`\b(?:gl(?:pat|dt|rt|ptt)-[A-Za-z0-9_-]{16,}|xox[a-z]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,}|npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{30,})`), nil},
		{"access key", regexp.MustCompile(`\b(?:(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b|AIza[0-9A-Za-z_-]{30,}|ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{16,})`), nil},
		{"access key", regexp.MustCompile(`\b(?:SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|hf_[A-Za-z0-9]{20,}|do[op]_v1_[a-f0-9]{32,}|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32,}|dapi[a-f0-9]{32})`), nil},
		{"hook address", regexp.MustCompile(`\bhooks\.slack\.com/services/([A-Za-z0-9/_-]{20,})`), nil},
		{
			"credentials", regexp.MustCompile(`(?i)\b(?:bearer|basic|negotiate)\s+([A-Za-z0-9._~+/=-]{8,})`),
			looksEncoded,
		},
		{
			"password in an address", regexp.MustCompile(`\b[a-zA-Z][a-zA-Z0-9+.-]*://[^\s/?#"'<>@:]*:([^\s/?#"'<>@]+)@`),
			nil,
		},
	}
})

func looksEncoded(word string) bool {
	return strings.ContainsFunc(word, unicode.IsDigit) || strings.ContainsAny(word, "=+/_") ||
		strings.ContainsFunc(word[1:], unicode.IsUpper) && strings.ContainsFunc(word, unicode.IsLower)
}
