package recipes

import (
	"regexp"
	"strings"
)

// A block is a heading, a paragraph, a list item or a row of a table.
type block struct {
	// heading is the level of a heading, 0 for other blocks.
	heading int
	text    string
	// cells are the texts of a row, and header are those of the first row of its table; nil for other blocks.
	cells, header []string
}

var (
	headingMark = regexp.MustCompile(`^(#{1,6}) `)
	listMark    = regexp.MustCompile(`^\s*(?:[-*+]|\d+\.) (?:\[[ x]\] )?`)
	picture     = regexp.MustCompile(`!\[[^\]]*\]\([^)]*\)|\[?\(picture: [^)]*\)\]?(?:\([^)]*\))?`)
	link        = regexp.MustCompile(`\[((?:[^\]\\]|\\.)*)\]\((?:[^()]|\([^)]*\))*\)`)
	emphasis    = regexp.MustCompile(`(^|[^\\])[*_]{1,3}|` + "`")
	escaped     = regexp.MustCompile(`\\([^A-Za-z0-9\s])`)
	tableRule   = regexp.MustCompile(`^[\s|:-]+$`)
)

// blocksOf returns the blocks of a page's Markdown without its marks, links and pictures.
func blocksOf(markdown string) []block {
	var blocks []block
	var header []string
	for line := range strings.Lines(markdown) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			header = nil
		} else {
			if tableRule.MatchString(line) {
				continue
			}
			cells := strings.Split(strings.ReplaceAll(strings.Trim(line, "|"), `\|`, "\x00"), "|")
			for i, cell := range cells {
				cells[i] = withoutMarks(strings.ReplaceAll(cell, "\x00", "|"))
			}
			if header == nil {
				header = cells
			} else {
				blocks = append(blocks, block{text: strings.Join(cells, " "), cells: cells, header: header})
			}
			continue
		}
		b := block{}
		if mark := headingMark.FindString(line); mark != "" {
			b.heading = len(mark) - 1
			line = line[len(mark):]
		}
		if b.text = withoutMarks(listMark.ReplaceAllString(line, "")); b.text != "" {
			blocks = append(blocks, b)
		}
	}
	return blocks
}

func withoutMarks(s string) string {
	s = link.ReplaceAllString(picture.ReplaceAllString(s, ""), "$1")
	s = escaped.ReplaceAllString(emphasis.ReplaceAllString(s, "$1"), "$1")
	return strings.Join(strings.Fields(s), " ")
}
