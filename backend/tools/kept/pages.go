package kept

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"
)

// obeying is a reader that ends with its context.
type obeying struct {
	ctx  context.Context //nolint:containedctx // it lives for one call
	from io.Reader
}

// Read implements io.Reader.
func (o obeying) Read(b []byte) (int, error) {
	if err := o.ctx.Err(); err != nil {
		return 0, err
	}
	return o.from.Read(b)
}

// lines reads a page of at most limit lines and maxPage characters. A line that does not fit on a
// page of its own ends the page within it, and the rest of it is read in characters.
func (v *part) lines(from io.Reader, limit int) error {
	r := bufio.NewReaderSize(from, 64<<10)
	var page strings.Builder
	before, in := 0, 0 // characters before the page and on it
	for number := 1; ; number++ {
		wanted := number >= v.Offset
		if wanted && v.Count == limit {
			return v.ends(r, page.String(), number, inLines)
		}
		begun := page.Len()
		for {
			piece, err := r.ReadSlice('\n')
			n := starts(piece)
			switch {
			case !wanted:
				before += n
			case in+n <= maxPage:
				page.Write(piece)
				in += n
			case v.Count > 0:
				// It stands on the next page as a whole.
				return v.cut(page.String()[:begun], number, inLines)
			default:
				page.Write(piece[:upTo(piece, maxPage-in)])
				v.Count = 1
				return v.cut(page.String(), before+maxPage+1, inCharacters)
			}
			if errors.Is(err, bufio.ErrBufferFull) {
				continue
			}
			if wanted && page.Len() > begun {
				v.Count++
			}
			if errors.Is(err, io.EOF) {
				v.Text = page.String()
				return nil
			}
			if err != nil {
				return err
			}
			break
		}
	}
}

// starts is how many characters begin in a piece of text, which may begin and end within one.
func starts(piece []byte) (n int) {
	for _, c := range piece {
		if utf8.RuneStart(c) {
			n++
		}
	}
	return n
}

// upTo is where the character after the next n begins in piece.
func upTo(piece []byte, n int) int {
	for i, c := range piece {
		if !utf8.RuneStart(c) {
			continue
		}
		if n == 0 {
			return i
		}
		n--
	}
	return len(piece)
}

// cut ends a page before the end of the text.
func (v *part) cut(text string, next int, unit string) error {
	v.Text, v.Next, v.NextUnit = text, next, unit
	return nil
}

// ends ends a page at next, unless r ends there too.
func (v *part) ends(r *bufio.Reader, text string, next int, unit string) error {
	v.Text = text
	_, err := r.Peek(1)
	if errors.Is(err, io.EOF) {
		return nil
	}
	v.Next, v.NextUnit = next, unit
	return err
}

// characters reads a page of at most limit characters.
func (v *part) characters(from io.Reader, limit int) error {
	r := bufio.NewReaderSize(from, 64<<10)
	limit = min(limit, maxPage)
	var page strings.Builder
	for at := 1; ; at++ {
		if v.Count == limit {
			return v.ends(r, page.String(), at, inCharacters)
		}
		c, _, err := r.ReadRune()
		if errors.Is(err, io.EOF) {
			v.Text = page.String()
			return nil
		}
		if err != nil {
			return err
		}
		if at >= v.Offset {
			page.WriteRune(c)
			v.Count++
		}
	}
}

// maxFound is how many characters of one line a search tells.
const maxFound = 400

// search finds the lines from v.Offset on that match, with around lines before and after each,
// written as grep -n does: "12:" before a match, "11-" before a line around it, "--" between
// groups.
func (v *part) search(from io.Reader, pattern *regexp.Regexp, limit, around int) error {
	r := bufio.NewReaderSize(from, 64<<10)
	s := searching{v: v, around: around}
	at := 1 // the character that the line begins with
	for number := 1; ; number++ {
		line, err := r.ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if line == "" {
			break
		}
		length := utf8.RuneCountInString(line)
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		var place []int
		if number >= v.Offset {
			place = pattern.FindStringIndex(line)
		}
		// Lines after the last match still belong to it.
		if place != nil && v.Count == limit || s.used > maxPage {
			return v.cut(s.out.String(), max(number, v.Offset), inLines)
		}
		s.line(number, at, line, place)
		at += length
		if err != nil {
			break
		}
	}
	v.Text = s.out.String()
	return nil
}

// searching writes what a search finds.
type searching struct {
	v      *part
	around int
	out    strings.Builder
	used   int
	// waiting are the lines before that a match would tell; after are those still to be told.
	waiting []string
	after   int
	last    int
}

func (s *searching) line(number, at int, line string, place []int) {
	switch {
	case place != nil:
		if s.around > 0 && s.last > 0 && number-len(s.waiting) > s.last+1 {
			s.write("--\n")
		}
		for _, w := range s.waiting {
			s.write(w)
		}
		s.waiting, s.after, s.last = s.waiting[:0], s.around, number
		s.v.Count++
		s.write(fmt.Sprintf("%d:%s\n", number, within(line, at, place)))
	case s.after > 0:
		s.after--
		s.last = number
		s.write(fmt.Sprintf("%d-%s\n", number, within(line, at, []int{0, 0})))
	case s.around > 0:
		if len(s.waiting) == s.around {
			s.waiting = append(s.waiting[:0], s.waiting[1:]...)
		}
		s.waiting = append(s.waiting, fmt.Sprintf("%d-%s\n", number, within(line, at, []int{0, 0})))
	}
}

func (s *searching) write(text string) {
	s.out.WriteString(text)
	s.used += utf8.RuneCountInString(text)
}

// within is a line, or of a long one what stands around place, with the character of the whole
// text that it begins with.
func within(line string, at int, place []int) string {
	if len(line) <= maxFound {
		return line
	}
	start := max(0, place[0]-maxFound/4)
	for start > 0 && !utf8.RuneStart(line[start]) {
		start--
	}
	end := min(len(line), start+maxFound)
	for end < len(line) && !utf8.RuneStart(line[end]) {
		end--
	}
	text := line[start:end]
	if end < len(line) {
		text += "…"
	}
	if start > 0 {
		text = "…" + text
	}
	return fmt.Sprintf("(from character %d) %s", at+utf8.RuneCountInString(line[:start]), text)
}
