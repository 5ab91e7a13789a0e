package pipeline

import (
	"net/url"
	"slices"
	"strings"
	"unicode"

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
	known := wordsOf(typed)
	for word := range wordsOf(readableAddress(policy.AddressOf(c.def, c.call.Args))) {
		if !known[word] {
			return true
		}
	}
	// Signs carry data as well as letters do. Only the punctuation around a word may differ.
	return slices.ContainsFunc(strings.Fields(strings.ToLower(c.desc.Data)), func(word string) bool {
		bare := strings.Trim(word, ".,;:!?\"'()")
		return len(word)-len(bare) > 3 || bare == "" || !strings.Contains(typed, bare)
	})
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

func wordsOf(text string) map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		words[word] = true
	}
	return words
}
