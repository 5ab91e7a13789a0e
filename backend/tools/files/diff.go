package files

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"sextant/shared/clip"
)

// maxDiffed bounds a text that is compared line by line, and maxDiff what is shown of it.
const (
	maxDiffed = 1 << 20
	maxDiff   = 64 << 10
)

// difference is what changed between two contents.
type difference struct {
	text           string
	added, removed int
	note           string
}

// diffOf compares two contents of a file. What is no text, or too long, has no diff but a note.
func diffOf(name string, before, after []byte) difference {
	switch {
	case bytes.IndexByte(before, 0) >= 0 || bytes.IndexByte(after, 0) >= 0 || !utf8.Valid(before) || !utf8.Valid(after):
		return difference{note: "not text: " + sized(int64(len(before))) + " before, " + sized(int64(len(after))) + " after"}
	case len(before) > maxDiffed || len(after) > maxDiffed:
		return difference{note: "too long to compare: " + sized(int64(len(before))) + " before, " + sized(int64(len(after))) + " after"}
	}
	d := difference{text: udiff.Unified(name, name, string(before), string(after))}
	for line := range strings.Lines(d.text) {
		switch {
		case strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "--- "):
		case line[0] == '+':
			d.added++
		case line[0] == '-':
			d.removed++
		}
	}
	if len(d.text) > maxDiff {
		d.text, d.note = clip.Bytes(d.text, maxDiff), "only the beginning of the difference is shown"
	}
	return d
}

// preview are the first changed lines for a card.
func (d difference) preview() []string {
	var lines []string
	for line := range strings.Lines(d.text) {
		if strings.HasPrefix(line, "+++ ") || strings.HasPrefix(line, "--- ") || line[0] != '+' && line[0] != '-' {
			continue
		}
		if lines = append(lines, clip.Bytes(strings.TrimRight(line, "\r\n"), 120)); len(lines) == 6 {
			break
		}
	}
	return lines
}
