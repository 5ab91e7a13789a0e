package readresult

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"
)

// lines reads a page of at most limit lines and maxPage characters. A line that is too long for any page is cut, and
// its rest is read in characters.
func (p *part) lines(from io.Reader, limit int) error {
	r := bufio.NewReaderSize(from, 64<<10)
	var page strings.Builder
	before, onPage := 0, 0 // characters before the page and on it
	for number := 1; ; number++ {
		wanted := number >= p.Offset
		if wanted && p.Count == limit {
			return p.endAt(r, page.String(), number, inLines)
		}
		start := page.Len()
		for {
			piece, err := r.ReadSlice('\n')
			n := countRunes(piece)
			switch {
			case !wanted:
				before += n
			case onPage+n <= maxPage:
				page.Write(piece)
				onPage += n
			case p.Count > 0:
				// The whole line is left for the next page.
				return p.cut(page.String()[:start], number, inLines)
			default:
				page.Write(piece[:runeOffset(piece, maxPage-onPage)])
				p.Count = 1
				return p.cut(page.String(), before+maxPage+1, inCharacters)
			}
			if errors.Is(err, bufio.ErrBufferFull) {
				continue
			}
			if wanted && page.Len() > start {
				p.Count++
			}
			if errors.Is(err, io.EOF) {
				p.Text = page.String()
				return nil
			}
			if err != nil {
				return err
			}
			break
		}
	}
}

// countRunes counts the characters that begin in piece, which may start and end within a character.
func countRunes(piece []byte) (n int) {
	for _, c := range piece {
		if utf8.RuneStart(c) {
			n++
		}
	}
	return n
}

func runeOffset(piece []byte, n int) int {
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

func (p *part) cut(text string, next int, unit string) error {
	p.Text, p.Next, p.NextUnit = text, next, unit
	return nil
}

func (p *part) endAt(r *bufio.Reader, text string, next int, unit string) error {
	p.Text = text
	_, err := r.Peek(1)
	if errors.Is(err, io.EOF) {
		return nil
	}
	p.Next, p.NextUnit = next, unit
	return err
}

func (p *part) characters(from io.Reader, limit int) error {
	r := bufio.NewReaderSize(from, 64<<10)
	limit = min(limit, maxPage)
	var page strings.Builder
	for at := 1; ; at++ {
		if p.Count == limit {
			return p.endAt(r, page.String(), at, inCharacters)
		}
		c, _, err := r.ReadRune()
		if errors.Is(err, io.EOF) {
			p.Text = page.String()
			return nil
		}
		if err != nil {
			return err
		}
		if at >= p.Offset {
			page.WriteRune(c)
			p.Count++
		}
	}
}

// maxMatchText is in bytes.
const maxMatchText = 400

// search writes the format of grep -n: "12:" before a match, "11-" before a line of context, "--" between groups.
func (p *part) search(from io.Reader, pattern *regexp.Regexp, limit, around int) error {
	r := bufio.NewReaderSize(from, 64<<10)
	s := searchWriter{part: p, context: around}
	at := 1 // number of the line's first character
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
		if number >= p.Offset {
			place = pattern.FindStringIndex(line)
		}
		// The context after the last match is still read.
		if place != nil && p.Count == limit || s.used > maxPage {
			return p.cut(s.out.String(), max(number, p.Offset), inLines)
		}
		s.line(number, at, line, place)
		at += length
		if err != nil {
			break
		}
	}
	p.Text = s.out.String()
	return nil
}

type searchWriter struct {
	part    *part
	context int
	out     strings.Builder
	used    int
	// pending contains the lines before a possible match; after is the number of context lines still to write.
	pending []string
	after   int
	last    int
}

func (s *searchWriter) line(number, at int, line string, place []int) {
	switch {
	case place != nil:
		if s.context > 0 && s.last > 0 && number-len(s.pending) > s.last+1 {
			s.write("--\n")
		}
		for _, w := range s.pending {
			s.write(w)
		}
		s.pending, s.after, s.last = s.pending[:0], s.context, number
		s.part.Count++
		s.write(fmt.Sprintf("%d:%s\n", number, lineExcerpt(line, at, place)))
	case s.after > 0:
		s.after--
		s.last = number
		s.write(fmt.Sprintf("%d-%s\n", number, lineExcerpt(line, at, []int{0, 0})))
	case s.context > 0:
		if len(s.pending) == s.context {
			s.pending = append(s.pending[:0], s.pending[1:]...)
		}
		s.pending = append(s.pending, fmt.Sprintf("%d-%s\n", number, lineExcerpt(line, at, []int{0, 0})))
	}
}

func (s *searchWriter) write(text string) {
	s.out.WriteString(text)
	s.used += utf8.RuneCountInString(text)
}

// at is the number of the line's first character in the whole text.
func lineExcerpt(line string, at int, place []int) string {
	if len(line) <= maxMatchText {
		return line
	}
	start := max(0, place[0]-maxMatchText/4)
	for start > 0 && !utf8.RuneStart(line[start]) {
		start--
	}
	end := min(len(line), start+maxMatchText)
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
