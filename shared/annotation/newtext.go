package annotation

import (
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

// SetNewText sets NewText and MoreText. It leaves out lines that only repeat the names and values of the elements of
// the page.
func (a *Observation) SetNewText(lines []string, more int, elements []Element) {
	a.NewText, a.MoreText = nil, more
	space := maxNewTextRunes
	for _, line := range lines {
		if line = withoutJoined(Clean(line, maxName), elements); line == "" || isOfElements(line, elements) {
			continue
		}
		if space -= utf8.RuneCountInString(line); len(a.NewText) > 0 && space < 0 || len(a.NewText) == maxNewText {
			a.MoreText++
			continue
		}
		a.NewText = append(a.NewText, line)
	}
}

// withoutJoined removes the name of an element from the start and the end of line where it is joined to another word,
// as the name of a button is to the text beside it: "SendWrong address".
func withoutJoined(line string, elements []Element) string {
	for i := range elements {
		name := elements[i].Name
		if rest, ok := strings.CutPrefix(line, name); ok && startsUpper(rest) && name != "" {
			line = rest
		}
		if rest, ok := strings.CutSuffix(line, name); ok && startsUpper(name) {
			if last, _ := utf8.DecodeLastRuneInString(rest); unicode.IsLetter(last) || unicode.IsDigit(last) {
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

func isOfElements(line string, elements []Element) bool {
	rest := line
	for i := range elements {
		for _, own := range []string{elements[i].Name, elements[i].Value} {
			if strings.Contains(own, line) {
				return true
			}
			if own != "" {
				rest = strings.ReplaceAll(rest, own, "")
			}
		}
	}
	return !strings.ContainsFunc(rest, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
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
