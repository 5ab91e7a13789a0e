package pipeline

import (
	"net/url"
	"strings"
	"unicode"

	"sextant/backend/policy"
	"sextant/shared/toolspec"
)

// isComposed reports whether the call would send words to a host that its caller chose: a search, a text typed into a
// page, an address. Such words can carry anything that the caller has read, in a form that no comparison finds. Words
// that the person typed and links of the page are not composed. Commands, servers and panels are judged by their hosts.
func (c *callState) isComposed() bool {
	if !steerable(c.call.From) || c.def.Origin != toolspec.OriginBaseline || c.desc.RunsProgram ||
		c.desc.IsPageLink || len(c.desc.Hosts) == 0 {
		return false
	}
	sent := c.desc.Data
	if u, err := url.Parse(policy.AddressOf(c.def, c.call.Args)); err == nil {
		query, _ := url.QueryUnescape(u.RawQuery)
		sent = strings.Join([]string{sent, strings.TrimPrefix(u.Host, "www."), u.Path, query, u.Fragment}, " ")
	}
	typed := wordsOf(c.call.From.TypedText)
	for word := range wordsOf(sent) {
		if !typed[word] {
			return true
		}
	}
	return false
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
