package pipeline

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sextant/backend/policy"
	"sextant/shared/toolspec"
)

// isComposed reports whether the call would send words to a host that its caller chose: a search, a text typed into a
// page, an address. Such words can carry anything that the caller has read, in a form that no comparison finds. Words
// that the person typed, links of the page and its options are not composed. Commands, servers and panels are judged by
// their hosts.
func (c *callState) isComposed() bool {
	if !steerable(c.call.From) || c.def.Origin != toolspec.OriginBaseline || c.desc.RunsProgram ||
		c.desc.IsPageLink || c.def.Name == "select_option" || len(c.desc.Hosts) == 0 {
		return false
	}
	typed := strings.ToLower(c.call.From.TypedText)
	address := readableAddress(strings.ToLower(policy.AddressOf(c.def, c.call.Args)))
	if !containsAll(wordsOf(typed), wordsOf(address)) {
		return true
	}
	// In a text, signs carry data as well as letters do. Only the punctuation around a word may differ.
	words := strings.Fields(strings.ToLower(c.desc.Data))
	signs := func(word string) int { return utf8.RuneCountInString(word) - utf8.RuneCountInString(bareWord(word)) }
	return slices.ContainsFunc(words, func(word string) bool { return signs(word) > 3 }) ||
		!containsAll(bareWords(strings.Fields(typed)), bareWords(words))
}

// readableAddress returns an address without its scheme, www. and percent-encoding.
func readableAddress(address string) string {
	if plain, err := url.PathUnescape(address); err == nil {
		address = plain
	}
	if _, after, found := strings.Cut(address, "://"); found {
		address = after
	}
	return strings.TrimPrefix(address, "www.")
}

// wordsOf splits a text at everything but letters and digits.
func wordsOf(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

func bareWord(word string) string { return strings.Trim(word, ".,;:!?\"'()“”‘’«»") }

func bareWords(words []string) []string {
	bare := make([]string, 0, len(words))
	for _, w := range words {
		bare = append(bare, bareWord(w))
	}
	return bare
}

func containsAll(all, some []string) bool {
	known := map[string]bool{}
	for _, w := range all {
		known[w] = true
	}
	return !slices.ContainsFunc(some, func(w string) bool { return !known[w] })
}
