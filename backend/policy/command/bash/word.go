package bash

import (
	"slices"
	"strings"
)

// Word is one word of a command, as far as its value is known before the command runs.
type Word struct {
	// Text is the word without its quotes. For an unknown word it is the part known at its start.
	Text string
	// Display is the word as it was written, or a description of it, for use in a sentence.
	Display string
	// Unknown is true if the value is known only at run time. Splittable is true if the word may then become
	// several words, or none.
	Unknown, Splittable bool
	// HasGlob is true if Text contains *, ? or [ that bash would match against file names.
	HasGlob bool
	// Alternatives are other texts that the word may have.
	Alternatives []string
}

// LiteralWord returns a word whose text is exactly s.
func LiteralWord(s string) Word { return Word{Text: s, Display: s} }

// UnknownWord returns a word with an unknown value. Sentences refer to it as display.
func UnknownWord(display string) Word { return Word{Display: display, Unknown: true} }

// IsLiteral reports whether the word has exactly one possible text, which is Text.
func (w Word) IsLiteral() bool { return !w.Unknown && !w.HasGlob && len(w.Alternatives) == 0 }

// LiteralText returns the text of a literal word, and nil for any other.
func (w Word) LiteralText() *string {
	if !w.IsLiteral() {
		return nil
	}
	return &w.Text
}

// MayBeOption reports whether the word may begin with a dash.
func (w Word) MayBeOption() bool {
	if w.Unknown || w.HasGlob {
		return w.Text == "" || strings.IndexByte("-*?[", w.Text[0]) >= 0
	}
	return strings.HasPrefix(w.Text, "-") || slices.ContainsFunc(w.Alternatives,
		func(s string) bool { return strings.HasPrefix(s, "-") })
}

// HasKnownText reports whether text is one of the texts that are known for the word. An unknown word may have others,
// and its Text is only the known start.
func (w Word) HasKnownText(text string) bool {
	return w.Text == text || slices.Contains(w.Alternatives, text)
}

// MayBeMultipleWords reports whether the word may expand to several words.
func (w Word) MayBeMultipleWords() bool { return w.Splittable || w.HasGlob }
