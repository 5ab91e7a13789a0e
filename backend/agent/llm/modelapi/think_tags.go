package modelapi

import "strings"

// thinkSplitter separates the reasoning at the start of an answer. Local models often write it as
// <think>…</think>, and not every server separates it.
type thinkSplitter struct {
	state splitState
	// held may be the start of a tag.
	closingTag string
	held       string
}

type splitState int

const (
	atStart splitState = iota
	inThought
	// afterThought is the state between the reasoning and the text; white space is dropped there.
	afterThought
	inText
)

var thinkTags = [][2]string{{"<think>", "</think>"}, {"<thinking>", "</thinking>"}}

const blank = " \t\r\n"

// split splits the next piece of an answer; the reasoning comes before the text.
func (t *thinkSplitter) split(s string) (thought, text string) {
	switch t.state {
	case inText:
		return "", s
	case afterThought:
		if s = strings.TrimLeft(s, blank); s != "" {
			t.state = inText
		}
		return "", s
	}
	t.held += s
	if t.state == atStart && !t.matchOpening() {
		return "", ""
	}
	if t.state == inText {
		text, t.held = t.held, ""
		return "", text
	}
	thought, text, ended := strings.Cut(t.held, t.closingTag)
	if ended {
		t.state, t.held = afterThought, ""
		_, text = t.split(text)
		return thought, text
	}
	keep := partialSuffix(t.held, t.closingTag)
	thought, t.held = t.held[:len(t.held)-keep], t.held[len(t.held)-keep:]
	return thought, ""
}

// matchOpening decides how the text begins. It returns false if that is not certain yet.
func (t *thinkSplitter) matchOpening() bool {
	text := strings.TrimLeft(t.held, blank)
	for _, o := range thinkTags {
		if rest, ok := strings.CutPrefix(text, o[0]); ok {
			t.state, t.closingTag, t.held = inThought, o[1], rest
			return true
		}
	}
	for _, o := range thinkTags {
		if strings.HasPrefix(o[0], text) {
			return false
		}
	}
	t.state = inText
	return true
}

func (t *thinkSplitter) flush() (thought, text string) {
	held := t.held
	t.held = ""
	if t.state == inThought {
		return held, ""
	}
	return "", held
}

// partialSuffix returns the length of the longest suffix of s that is a proper prefix of closing.
func partialSuffix(s, closing string) int {
	for n := min(len(s), len(closing)-1); n > 0; n-- {
		if strings.HasPrefix(closing, s[len(s)-n:]) {
			return n
		}
	}
	return 0
}
