package shell

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"sextant/backend/record/results"
	"sextant/shared/toolspec"
)

// maxKept is how many bytes of what a command prints are kept: half from its beginning, half
// from its end.
const maxKept = 100 << 10

// printed gathers what a command prints on both streams, in the order it came.
type printed struct {
	out func(stream, text string)

	mu         sync.Mutex
	head, tail []byte
	total      int
	long       long
	// handed is true once the long text is somebody else's to keep or to discard.
	handed bool
}

func newPrinted(out func(stream, text string), begin func() (*results.Draft, error)) *printed {
	return &printed{out: out, long: long{begin: begin}}
}

// stream is what one of the streams is written to.
func (p *printed) stream(name string) stream { return stream{p, name} }

type stream struct {
	to   *printed
	name string
}

// Write implements io.Writer; it never fails.
func (s stream) Write(b []byte) (int, error) {
	s.to.keep(b)
	s.to.out(s.name, string(b))
	return len(b), nil
}

func (p *printed) keep(b []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.total += len(b)
	n := min(maxKept/2-len(p.head), len(b))
	p.head = append(p.head, b[:n]...)
	p.tail = append(p.tail, b[n:]...)
	if p.long.on() {
		p.long.write(b)
	}
	if len(p.tail) > maxKept {
		p.spill() // moved once in a while, not for every write
		p.tail = append(p.tail[:0], p.tail[len(p.tail)-maxKept/2:]...)
	}
}

// spill begins the long text with all that was printed until now. The caller holds the lock.
func (p *printed) spill() {
	if p.long.on() || p.total != len(p.head)+len(p.tail) {
		return
	}
	p.long.write(p.head)
	p.long.write(p.tail)
}

// whole is everything that was printed, when text leaves some of it out; nil when not, or when it
// could not be kept, and then why.
func (p *printed) whole() (toolspec.Whole, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.total <= maxKept {
		return nil, nil
	}
	p.spill()
	p.handed = true
	return p.long.end()
}

// drop throws away what whole was not asked for.
func (p *printed) drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.long.draft != nil && !p.handed {
		p.long.draft.Discard()
	}
}

// text is what was kept, and how many bytes between head and tail were not.
func (p *printed) text() (text string, left int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	tail := p.tail[max(0, len(p.tail)-maxKept/2):]
	if left = p.total - len(p.head) - len(tail); left == 0 {
		return clean(string(p.head) + string(tail)), 0
	}
	// Cut at lines, or at least not within a character.
	head := p.head
	if i := strings.LastIndexByte(string(head), '\n'); i > len(head)/2 {
		head = head[:i+1]
	}
	if i := strings.IndexByte(string(tail), '\n'); i >= 0 && i < len(tail)/2 {
		tail = tail[i+1:]
	}
	left = p.total - len(head) - len(tail)
	return clean(string(head)) + fmt.Sprintf("\n… %d bytes left out …\n", left) + clean(string(tail)), left
}

// unfinished is how many bytes at the end of text begin a character without ending it.
func unfinished(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if c := text[len(text)-n]; utf8.RuneStart(c) {
			if !utf8.FullRune(text[len(text)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}

// steering are the sequences that colour text and steer terminals.
var steering = regexp.MustCompile("\x1b(\\[[0-9;:?]*[ -/]*[@-~]|\\][^\x07\x1b]*(\x07|\x1b\\\\)|[@-Z^_])")

// clean makes text of what a program printed: valid, and without what would steer a terminal.
func clean(s string) string { return strings.TrimRight(printable(s), "\n") }

func printable(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	s = steering.ReplaceAllString(s, "")
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, s)
}

// firstLine is the beginning of a text on one line.
func firstLine(s string, n int) string {
	line := strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(line) <= n {
		return line
	}
	return string([]rune(line)[:n-1]) + "…"
}

// lastLines are the last n lines of a text, each shortened.
func lastLines(s string, n int) []string {
	if s == "" {
		return nil
	}
	lines := strings.Split(s, "\n")
	lines = lines[max(0, len(lines)-n):]
	for i, l := range lines {
		lines[i] = firstLine(l, 120)
	}
	return lines
}
