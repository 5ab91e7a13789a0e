package annotation

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of Observation.NewText. The first line is never left out.
const (
	maxNewText      = 8
	maxNewTextRunes = 240
)

// SetNewText sets NewText, MoreText and AllNewText. It leaves out lines that only repeat the names and values of the
// elements of the page.
func (a *Observation) SetNewText(lines []string, more int, elements []Element) {
	a.NewText, a.AllNewText, a.MoreText = nil, lines, more
	space := maxNewTextRunes
	for _, line := range lines {
		line = withoutJoined(Clean(line, maxName), elements)
		if line == "" || repeatsNames(line, elements) || a.OnlyChanges && isPartOfName(line, a.Elements) {
			continue
		}
		if space -= utf8.RuneCountInString(line); len(a.NewText) > 0 && space < 0 || len(a.NewText) == maxNewText {
			a.MoreText++
			continue
		}
		a.NewText = append(a.NewText, line)
	}
}

// withoutJoined removes a name of several words from the start and the end of line where it is joined to another word,
// as the name of a button is to the text beside it: "Sign inWrong address".
func withoutJoined(line string, elements []Element) string {
	for i := range elements {
		name := elements[i].Name
		if !strings.Contains(name, " ") {
			continue
		}
		if rest, ok := strings.CutPrefix(line, name); ok && startsUpper(rest) {
			line = rest
		}
		if rest, ok := strings.CutSuffix(line, name); ok && startsUpper(name) {
			if last, _ := utf8.DecodeLastRuneInString(rest); unicode.IsLower(last) || unicode.IsDigit(last) {
				line = rest
			}
		}
	}
	return line
}

func startsUpper(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	return unicode.IsUpper(first)
}

// repeatsNames reports whether line consists of names and values of elements.
func repeatsNames(line string, elements []Element) bool {
	const least = 2 // a name of one letter may be a part of any text
	rest := " " + line + " "
	for i := range elements {
		for _, own := range []string{elements[i].Name, elements[i].Value} {
			if own == line {
				return true
			}
			if len(own) >= least {
				rest = strings.ReplaceAll(rest, " "+own+" ", "  ")
			}
		}
	}
	return !strings.ContainsFunc(rest, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// isPartOfName reports whether line is a part of a longer name or value, as the text of an entry that can be pressed.
func isPartOfName(line string, elements []Element) bool {
	return slices.ContainsFunc(elements, func(e Element) bool {
		return hasWords(e.Name, line) || hasWords(e.Value, line)
	})
}

// hasWords reports whether the first occurrence of part in text is not within a word.
func hasWords(text, part string) bool {
	before, after, found := strings.Cut(text, part)
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	isWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	return found && !isWord(last) && !isWord(first)
}

func appendNewText(b []byte, a *Observation, s size) []byte {
	if len(a.NewText) == 0 {
		return b
	}
	b = append(b, "new text:"...)
	shown := a.NewText[:min(len(a.NewText), s.events)]
	for _, line := range shown {
		b = appendQuoted(append(b, ' '), Clean(line, s.event))
	}
	if more := a.MoreText + len(a.NewText) - len(shown); more > 0 {
		b = append(b, " and "...)
		b = strconv.AppendInt(b, int64(more), 10)
		b = append(b, " more lines"...)
	}
	return append(b, '\n')
}
