package terminal

import (
	"strings"
	"unicode/utf8"
)

const maxColumn = 2000

// plain returns the last lines of the text that a terminal shows after data, without colors. It follows changes of the
// current line and the clearing of the screen, but no movements to other lines.
func plain(data []byte, lines int) string {
	p := printer{}
	for i := 0; i < len(data); {
		i += p.next(data[i:])
	}
	all := append(p.done, string(p.line))
	for len(all) > 0 && strings.TrimSpace(all[len(all)-1]) == "" {
		all = all[:len(all)-1]
	}
	all = all[max(0, len(all)-lines):]
	return strings.TrimRight(strings.Join(all, "\n"), " ")
}

type printer struct {
	done []string
	line []rune
	at   int
}

func (p *printer) next(b []byte) int {
	switch c := b[0]; {
	case c == '\n':
		p.done = append(p.done, strings.TrimRight(string(p.line), " "))
		p.line, p.at = nil, 0
	case c == '\r':
		p.at = 0
	case c == '\b':
		p.at = max(0, p.at-1)
	case c == '\t':
		for p.put(' '); p.at%8 != 0; {
			p.put(' ')
		}
	case c == 0x1b:
		return p.escape(b)
	case c < ' ' || c == 0x7f:
	default:
		r, n := utf8.DecodeRune(b)
		if r >= 0xa0 || r < 0x80 {
			p.put(r)
		}
		return n
	}
	return 1
}

func (p *printer) put(r rune) {
	for p.at >= len(p.line) {
		p.line = append(p.line, ' ')
	}
	p.line[p.at] = r
	p.at++
}

// escape handles a control sequence and returns its length. It drops an incomplete sequence.
func (p *printer) escape(b []byte) int {
	if len(b) < 2 {
		return len(b)
	}
	switch b[1] {
	case '[':
		for i := 2; i < len(b); i++ {
			if b[i] >= '@' && b[i] <= '~' {
				p.apply(b[i], string(b[2:i]))
				return i + 1
			}
			if b[i] < ' ' {
				return i // the sequence is incomplete
			}
		}
		return len(b)
	case ']', 'P', 'X', '^', '_':
		for i := 2; i < len(b); i++ {
			if b[i] == 0x07 {
				return i + 1
			}
			if b[i] == 0x1b {
				return min(i+2, len(b))
			}
		}
		return len(b)
	case '(', ')', '*', '+', '#', '%':
		return min(3, len(b))
	case 'c':
		p.done, p.line, p.at = nil, nil, 0
	}
	return 2
}

func (p *printer) apply(final byte, parameters string) {
	n := 0
	for _, c := range parameters {
		if c < '0' || c > '9' {
			break
		}
		n = min(n*10+int(c-'0'), maxColumn)
	}
	switch final {
	case 'C':
		p.at = min(p.at+max(n, 1), maxColumn)
	case 'D':
		p.at = max(0, p.at-max(n, 1))
	case 'G':
		p.at = max(0, n-1)
	case 'K':
		switch n {
		case 0:
			p.line = p.line[:min(p.at, len(p.line))]
		case 2:
			p.line = nil
		}
	case 'J':
		if n >= 2 {
			p.done, p.line = nil, nil
		}
	}
}
