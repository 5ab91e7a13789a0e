package modelapi

import "strings"

// tag finds the thoughts that a text begins with. Models on this machine often write them into their
// answer, as <think>…</think>, where the server does not part the two.
type thinkSplitter struct {
	state splitState
	// closing is the tag that ends the thoughts; held is what may be the beginning of a tag.
	closing string
	held    string
}

// place is where in an answer a tag has come to.
type splitState int

const (
	atStart splitState = iota
	inThought
	// between is the blank that follows the thoughts, which is no part of the answer.
	afterThought
	inText
)

// openings are the tags that begin thoughts, each with the one that ends them.
var thinkTags = [][2]string{{"<think>", "</think>"}, {"<thinking>", "</thinking>"}}

const blank = " \t\r\n"

// split parts the next piece of a text. The thoughts come before the rest.
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
	thought, text, ended := strings.Cut(t.held, t.closing)
	if ended {
		t.state, t.held = afterThought, ""
		_, text = t.split(text)
		return thought, text
	}
	keep := partialSuffix(t.held, t.closing)
	thought, t.held = t.held[:len(t.held)-keep], t.held[len(t.held)-keep:]
	return thought, ""
}

// open decides what the text begins with; false when that cannot be told yet.
func (t *thinkSplitter) matchOpening() bool {
	begun := strings.TrimLeft(t.held, blank)
	for _, o := range thinkTags {
		if rest, ok := strings.CutPrefix(begun, o[0]); ok {
			t.state, t.closing, t.held = inThought, o[1], rest
			return true
		}
	}
	for _, o := range thinkTags {
		if strings.HasPrefix(o[0], begun) {
			return false
		}
	}
	t.state = inText
	return true
}

// rest is what was held back, at the end of the answer.
func (t *thinkSplitter) flush() (thought, text string) {
	held := t.held
	t.held = ""
	if t.state == inThought {
		return held, ""
	}
	return "", held
}

// tail is the length of the longest end of s that closing begins with.
func partialSuffix(s, closing string) int {
	for n := min(len(s), len(closing)-1); n > 0; n-- {
		if strings.HasPrefix(closing, s[len(s)-n:]) {
			return n
		}
	}
	return 0
}
