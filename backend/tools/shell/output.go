package shell

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"sextant/backend/store/results"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

// maxOutput bounds the output in a result, in bytes: half from its beginning, half from its end.
const maxOutput = 100 << 10

// output gathers what a command prints on both streams, in the order of arrival.
type output struct {
	out func(stream, text string)

	mu         sync.Mutex
	head, tail []byte
	total      int
	long       longOutput
	// released is true once the caller of whole owns the draft.
	released bool
}

func newOutput(out func(stream, text string), begin func() (*results.Draft, error)) *output {
	return &output{out: out, long: longOutput{begin: begin}}
}

// stream returns the writer of a stream.
func (p *output) stream(name string) stream { return stream{p, name} }

type stream struct {
	to   *output
	name string
}

// Write implements io.Writer; it never fails.
func (s stream) Write(b []byte) (int, error) {
	s.to.write(b)
	s.to.out(s.name, string(b))
	return len(b), nil
}

func (p *output) write(b []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.total += len(b)
	n := min(maxOutput/2-len(p.head), len(b))
	p.head = append(p.head, b[:n]...)
	p.tail = append(p.tail, b[n:]...)
	if p.long.started() {
		p.long.write(b)
	}
	if len(p.tail) > maxOutput {
		p.spill() // now and then, not for every write
		p.tail = append(p.tail[:0], p.tail[len(p.tail)-maxOutput/2:]...)
	}
}

// spill starts the long output with all that was printed so far. The caller holds the lock.
func (p *output) spill() {
	if p.long.started() || p.total != len(p.head)+len(p.tail) {
		return
	}
	p.long.write(p.head)
	p.long.write(p.tail)
}

// whole returns the whole output when text leaves some of it out, else nil. The error says why it could not be
// stored.
func (p *output) whole() (toolspec.SpooledText, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.total <= maxOutput {
		return nil, nil
	}
	p.spill()
	p.released = true
	return p.long.end()
}

// discard removes the draft unless whole has returned it.
func (p *output) discard() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.long.draft != nil && !p.released {
		p.long.draft.Discard()
	}
}

// text returns the head and tail of the output, and how many bytes between them are left out.
func (p *output) text() (text string, left int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	tail := p.tail[max(0, len(p.tail)-maxOutput/2):]
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

// escapeSequence matches the sequences that control a terminal.
var escapeSequence = regexp.MustCompile("\x1b(\\[[0-9;:?]*[ -/]*[@-~]|\\][^\x07\x1b]*(\x07|\x1b\\\\)|[@-Z^_])")

// clean returns valid text without what would control a terminal.
func clean(s string) string { return strings.TrimRight(printable(s), "\n") }

func printable(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = escapeSequence.ReplaceAllString(s, "")
	return excerpt.Printable(s)
}

// lastLines are the last n lines of a text, each shortened.
func lastLines(s string, n int) []string {
	if s == "" {
		return nil
	}
	lines := strings.Split(s, "\n")
	lines = lines[max(0, len(lines)-n):]
	for i, l := range lines {
		lines[i] = excerpt.Line(l, 120)
	}
	return lines
}
