package history

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
	"github.com/dustin/go-humanize"

	"sextant/shared/excerpt"
)

const (
	maxCompared = 1 << 20
	maxDiff     = 64 << 10
)

// Diff is the difference between two contents of a file.
type Diff struct {
	// Text is a unified diff. If the contents cannot be compared, it is "" and Note says why.
	Text           string
	Added, Removed int
	Note           string
}

// Compare returns the difference between two contents of the file called name. Binary content and content over 1 MiB
// get a Note instead of a diff.
func Compare(name string, before, after []byte) Diff {
	isText := func(b []byte) bool { return bytes.IndexByte(b, 0) < 0 && utf8.Valid(b) }
	sizes := fmt.Sprintf(": %s before, %s after", humanize.Bytes(uint64(len(before))),
		humanize.Bytes(uint64(len(after))))
	switch {
	case !isText(before) || !isText(after):
		return Diff{Note: "not text" + sizes}
	case len(before) > maxCompared || len(after) > maxCompared:
		return Diff{Note: "too long to compare" + sizes}
	}
	d := Diff{Text: udiff.Unified(name, name, string(before), string(after))}
	for line := range d.changedLines() {
		if line[0] == '+' {
			d.Added++
		} else {
			d.Removed++
		}
	}
	if len(d.Text) > maxDiff {
		d.Text, d.Note = excerpt.TruncateBytes(d.Text, maxDiff), "only the beginning of the difference is shown"
	}
	return d
}

func (d Diff) changedLines() func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for line := range strings.Lines(d.Text) {
			header := strings.HasPrefix(line, "+++ ") || strings.HasPrefix(line, "--- ")
			if (line[0] == '+' || line[0] == '-') && !header && !yield(line) {
				return
			}
		}
	}
}

// Preview returns up to 6 changed lines, shortened.
func (d Diff) Preview() []string {
	var lines []string
	for line := range d.changedLines() {
		if lines = append(lines, excerpt.TruncateBytes(strings.TrimRight(line, "\r\n"), 120)); len(lines) == 6 {
			break
		}
	}
	return lines
}
