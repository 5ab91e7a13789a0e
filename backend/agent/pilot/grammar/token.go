package grammar

import (
	"strconv"
	"strings"
	"unicode"
)

// token is a word of a line or a quoted text; word is text in lower case, without punctuation unless quoted. Text in
// "…" may contain the escapes \" \\ \n and \t; any other backslash is literal. start and end are byte offsets in the
// line.
type token struct {
	text       string
	word       string
	quoted     bool
	start, end int
}

// tokens splits a line at white space and drops words of only commas, semicolons and full stops. Text in "…", '…',
// “…”, ‘…’ or «…» at the start of a word is one token; an unclosed quote is an ordinary character.
func tokens(line string) []token {
	var out []token
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
				token{text: text, word: strings.ToLower(text), quoted: true, start: at[i], end: at[end+1]},
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
		out = append(out, token{text: text, word: bareWord(text), start: at[i], end: at[j]})
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

func quote(text string) string { return `"` + escapes.Replace(text) + `"` }

// bareWord returns a word in lower case without the punctuation around it.
func bareWord(s string) string {
	return strings.ToLower(strings.TrimRight(strings.TrimLeft(s, "("), ".,;:!?)"))
}

// parseNumber reads "3", "[3]", "#3" or "three", up to "ten" in words. It accepts no 0.
func parseNumber(t token) (int, bool) {
	s := strings.TrimPrefix(strings.Trim(t.word, "[]"), "#")
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

// isOneOf reports whether t is an unquoted word of the space-separated list.
func isOneOf(t token, list string) bool {
	if t.quoted || t.word == "" {
		return false
	}
	for w := range strings.FieldsSeq(list) {
		if w == t.word {
			return true
		}
	}
	return false
}

func skip(ts []token, list string) []token {
	for len(ts) > 0 && isOneOf(ts[0], list) {
		ts = ts[1:]
	}
	return ts
}

func skipEnd(ts []token, list string) []token {
	for len(ts) > 0 && isOneOf(ts[len(ts)-1], list) {
		ts = ts[:len(ts)-1]
	}
	return ts
}

func joinWords(ts []token) string {
	parts := make([]string, len(ts))
	for i, t := range ts {
		parts[i] = t.word
	}
	return strings.Join(parts, " ")
}
