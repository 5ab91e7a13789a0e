package llm

import "strings"

// tag finds the thoughts that a text begins with. Models on this machine often write them into their
// answer, as <think>…</think>, where the server does not part the two.
type tag struct {
	place place
	// closing is the tag that ends the thoughts; held is what may be the beginning of a tag.
	closing string
	held    string
}

// place is where in an answer a tag has come to.
type place int

const (
	beginning place = iota
	within
	// between is the blank that follows the thoughts, which is no part of the answer.
	between
	after
)

// openings are the tags that begin thoughts, each with the one that ends them.
var openings = [][2]string{{"<think>", "</think>"}, {"<thinking>", "</thinking>"}}

const blank = " \t\r\n"

// split parts the next piece of a text. The thoughts come before the rest.
func (t *tag) split(s string) (thought, text string) {
	switch t.place {
	case after:
		return "", s
	case between:
		if s = strings.TrimLeft(s, blank); s != "" {
			t.place = after
		}
		return "", s
	}
	t.held += s
	if t.place == beginning && !t.open() {
		return "", ""
	}
	if t.place == after {
		text, t.held = t.held, ""
		return "", text
	}
	thought, text, ended := strings.Cut(t.held, t.closing)
	if ended {
		t.place, t.held = between, ""
		_, text = t.split(text)
		return thought, text
	}
	keep := tail(t.held, t.closing)
	thought, t.held = t.held[:len(t.held)-keep], t.held[len(t.held)-keep:]
	return thought, ""
}

// open decides what the text begins with; false when that cannot be told yet.
func (t *tag) open() bool {
	begun := strings.TrimLeft(t.held, blank)
	for _, o := range openings {
		if rest, ok := strings.CutPrefix(begun, o[0]); ok {
			t.place, t.closing, t.held = within, o[1], rest
			return true
		}
	}
	for _, o := range openings {
		if strings.HasPrefix(o[0], begun) {
			return false
		}
	}
	t.place = after
	return true
}

// rest is what was held back, at the end of the answer.
func (t *tag) rest() (thought, text string) {
	held := t.held
	t.held = ""
	if t.place == within {
		return held, ""
	}
	return "", held
}

// tail is the length of the longest end of s that closing begins with.
func tail(s, closing string) int {
	for n := min(len(s), len(closing)-1); n > 0; n-- {
		if strings.HasPrefix(closing, s[len(s)-n:]) {
			return n
		}
	}
	return 0
}
