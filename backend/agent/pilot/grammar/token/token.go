// Package token splits a line of a message to the pilot into words and quoted texts, says what words mean, and quotes
// texts in answers.
package token

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Token is a word of a line or a quoted text; word is text in lower case, without punctuation unless quoted. Text in
// "…" may contain the escapes \" \\ \n and \t; any other backslash is literal. start and end are byte offsets in the
// line.
type Token struct {
	Text       string
	Word       string
	Quoted     bool
	Start, End int
}

// Articles may come before any word of a command.
const Articles = "the a an this that current my me"

// Split splits a line at white space and drops words of only commas, semicolons and full stops. Text in "…", '…',
// “…”, ‘…’ or «…» at the start of a word is one token; an unclosed quote is an ordinary character.
func Split(line string) []Token {
	var out []Token
	runes := []rune(line)
	at := make([]int, len(runes)+1)
	for i, r := range runes {
		at[i+1] = at[i] + len(string(r))
	}
	for i := 0; i < len(runes); {
		if unicode.IsSpace(runes[i]) {
			i++
			continue
		}
		if end := closing(runes, i); end > 0 {
			text := string(runes[i+1 : end])
			if runes[i] == '"' {
				text = unescaped(text)
			}
			out = append(
				out,
				Token{Text: text, Word: strings.ToLower(text), Quoted: true, Start: at[i], End: at[end+1]},
			)
			i = end + 1
			continue
		}
		j := i
		for j < len(runes) && !unicode.IsSpace(runes[j]) {
			j++
		}
		text := string(runes[i:j])
		if strings.Trim(text, ",;.") == "" {
			i = j
			continue
		}
		out = append(out, Token{Text: text, Word: bareWord(text), Start: at[i], End: at[j]})
		i = j
	}
	return out
}

// closing returns the index of the quote that closes the one at i, 0 if there is none. A closing quote must end
// its word, so that an apostrophe is not one.
func closing(runes []rune, i int) int {
	pairs := map[rune]rune{'"': '"', '\'': '\'', '“': '”', '‘': '’', '«': '»'}
	want, ok := pairs[runes[i]]
	if !ok {
		return 0
	}
	for j := i + 1; j < len(runes); j++ {
		if want == '"' && runes[j] == '\\' {
			j++
			continue
		}
		if runes[j] == want &&
			(j+1 == len(runes) || unicode.IsSpace(runes[j+1]) || strings.ContainsRune(".,;:!?", runes[j+1])) {
			return j
		}
	}
	return 0
}

var escapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`)

func unescaped(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n", `\t`, "\t").Replace(s)
}

// Quote returns text in quotes, so that Split reads it as one token with this text.
func Quote(text string) string { return `"` + escapes.Replace(text) + `"` }

// bareWord returns a word in lower case without the punctuation around it.
func bareWord(s string) string {
	return strings.ToLower(strings.TrimRight(strings.TrimLeft(s, "("), ".,;:!?)"))
}

// ParseNumber reads "3", "[3]", "#3" or "three", up to "ten" in words. It accepts no 0.
func ParseNumber(t Token) (int, bool) {
	s := strings.TrimPrefix(strings.Trim(t.Word, "[]"), "#")
	if n, err := strconv.Atoi(s); err == nil && n > 0 && n < 1_000_000_000 && s[0] != '+' {
		return n, true
	}
	for i, w := range [...]string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"} {
		if s == w {
			return i + 1, true
		}
	}
	return 0, false
}

// IsOneOf reports whether t is an unquoted word of the space-separated list.
func IsOneOf(t Token, list string) bool {
	if t.Quoted || t.Word == "" {
		return false
	}
	for w := range strings.FieldsSeq(list) {
		if w == t.Word {
			return true
		}
	}
	return false
}

// Skip returns ts without the words of a list at its start.
func Skip(ts []Token, list string) []Token {
	for len(ts) > 0 && IsOneOf(ts[0], list) {
		ts = ts[1:]
	}
	return ts
}

// SkipEnd returns ts without the words of a list at its end.
func SkipEnd(ts []Token, list string) []Token {
	for len(ts) > 0 && IsOneOf(ts[len(ts)-1], list) {
		ts = ts[:len(ts)-1]
	}
	return ts
}

// SkipClosing returns ts without words at the end that carry no meaning: "please", "here", "for me" and such.
func SkipClosing(ts []Token) []Token {
	for {
		n := len(ts)
		ts = SkipEnd(ts, "please now thanks here anywhere")
		if len(ts) > 2 && IsOneOf(ts[len(ts)-1], "me") && IsOneOf(ts[len(ts)-2], "for to") {
			ts = ts[:len(ts)-2]
		}
		if len(ts) == n {
			return ts
		}
	}
}

// JoinWords returns the words in lower case with spaces between them.
func JoinWords(ts []Token) string {
	parts := make([]string, len(ts))
	for i, t := range ts {
		parts[i] = t.Word
	}
	return strings.Join(parts, " ")
}

// JoinText returns the words as written with spaces between them, without punctuation at the end.
func JoinText(ts []Token) string {
	words := make([]string, len(ts))
	for i, t := range ts {
		words[i] = t.Text
	}
	return strings.TrimRight(strings.Join(words, " "), ".,;:!?")
}

// OfName returns the words of a name in lower case, without punctuation and the s of plurals.
func OfName(name string) []string {
	isBetween := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	words := strings.FieldsFunc(strings.ToLower(name), isBetween)
	for i, w := range words {
		if len(w) > 3 && !strings.HasSuffix(w, "ss") {
			words[i] = strings.TrimSuffix(w, "s")
		}
	}
	return words
}

// WithoutNoun returns ts without "the word" or the like before a text.
func WithoutNoun(ts []Token) []Token {
	if len(ts) > 2 && IsOneOf(ts[0], "the") && IsOneOf(ts[1], "word words text phrase") {
		return ts[2:]
	}
	return ts
}

// IsNumber reports whether s has only digits.
func IsNumber(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsDigit(r) })
}

// maxSiteWords is the most words that people search a site for.
const maxSiteWords = 5

// IsSiteQuery reports whether words are what people search a site for: few, and no question.
func IsSiteQuery(ts []Token) bool {
	isStatement := func(t Token) bool { return IsOneOf(t, "found was were did") }
	if slices.ContainsFunc(ts, isStatement) {
		return false
	}
	return len(ts) <= maxSiteWords && !IsOneOf(ts[0], "how what when where why who which the web internet")
}
