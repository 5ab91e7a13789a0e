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
	listMark    = regexp.MustCompile(`^(?:[-*+]|\d+\.) (?:\[[ x]\] )?`)
	picture     = regexp.MustCompile(`!\[[^\]]*\]\([^)]*\)|\[?\(picture: [^)]*\)\]?(?:\([^)]*\))?`)
	link        = regexp.MustCompile(`\[([^\]]*)\]\((?:[^()]|\([^)]*\))*\)`)
	emphasis    = regexp.MustCompile(`\*{1,3}([^*]+)\*{1,3}|` + "`([^`]+)`")
	tableRule   = regexp.MustCompile(`^[\s|:-]+$`)
)

// blocksOf returns the blocks of a page's Markdown without its marks, links and pictures. The Markdown has no escapes,
// so a mark counts only where it cannot be text: in pairs, and for lists in more than one line.
func blocksOf(markdown string) []block {
	lines := strings.Split(markdown, "\n")
	// isItem reports whether the next line that is not empty, in steps of by, begins with a list mark.
	isItem := func(i, by int) bool {
		for i += by; i >= 0 && i < len(lines); i += by {
			if line := strings.TrimSpace(lines[i]); line != "" {
				return listMark.MatchString(line)
			}
		}
		return false
	}
	var blocks []block
	var header []string
	for i, line := range lines {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "|") {
			var cells []string
			for cell := range strings.SplitSeq(strings.TrimSuffix(line[1:], "|"), "|") {
				cells = append(cells, withoutMarks(cell))
			}
			switch {
			case tableRule.MatchString(line):
			case header == nil:
				header = cells
			case len(cells) == len(header):
				blocks = append(blocks, block{text: strings.Join(cells, " "), cells: cells, header: header})
			}
			continue
		}
		header = nil
		b := block{}
		if mark := headingMark.FindString(line); mark != "" {
			b.heading = len(mark) - 1
			line = line[len(mark):]
		} else if isItem(i, -1) || isItem(i, 1) {
			line = listMark.ReplaceAllString(line, "")
		}
		if b.text = withoutMarks(line); b.text != "" {
			blocks = append(blocks, b)
		}
	}
	return blocks
}

func withoutMarks(s string) string {
	s = link.ReplaceAllString(picture.ReplaceAllString(s, ""), "$1")
	return strings.Join(strings.Fields(emphasis.ReplaceAllString(s, "$1$2")), " ")
}
