package bash

import (
	"slices"
	"strings"
)

// Word is one word of a command as far as it is known before it runs.
type Word struct {
	// Text is the word without its quotes. Of an unknown word it is the known beginning.
	Text string
	// Display is the word as it was written, or a description of it, for a sentence.
	Display string
	// An Unknown word is known only when it runs; a Splittable one may then be several words or none.
	Unknown, Splittable bool
	// Glob says that Text contains *, ? or [ that bash would match against files.
	Glob bool
	// Alternatives are further texts that the word may have.
	Alternatives []string
}

// Literal returns a word that is exactly s.
func Literal(s string) Word { return Word{Text: s, Display: s} }

// Unknown returns a word that is not known, and that a sentence calls display.
func Unknown(display string) Word { return Word{Display: display, Unknown: true} }

// IsLiteral reports whether the word is exactly its Text.
func (w Word) IsLiteral() bool { return !w.Unknown && !w.Glob && len(w.Alternatives) == 0 }

// LiteralText returns the word's text when it is exactly that, nil otherwise.
func (w Word) LiteralText() *string {
	if !w.IsLiteral() {
		return nil
	}
	return &w.Text
}

// MayBeOption reports whether the word may begin with a dash.
func (w Word) MayBeOption() bool {
	if w.Unknown || w.Glob {
		return w.Text == "" || strings.IndexByte("-*?[", w.Text[0]) >= 0
	}
	return strings.HasPrefix(w.Text, "-") || slices.ContainsFunc(w.Alternatives,
		func(s string) bool { return strings.HasPrefix(s, "-") })
}

// MayBe reports whether text is one of the known possibilities of the word.
func (w Word) MayBe(text string) bool { return w.Text == text || slices.Contains(w.Alternatives, text) }

// MayBeSeveral reports whether the word may be several words when it runs.
func (w Word) MayBeSeveral() bool { return w.Splittable || w.Glob }

// Shorten returns s on one line and at most 80 characters long, as a sentence quotes it.
func Shorten(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 80 {
		return string(r[:79]) + "…"
	}
	return s
}
