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

// maxOutput limits the output in a result, in bytes. Half is from its beginning, half from its end.
const maxOutput = 100 << 10

type output struct {
	out func(stream, text string)

	mu         sync.Mutex
	head, tail []byte
	total      int
	long       longOutput
	// released is true once whole has returned the draft, which then belongs to its caller.
	released bool
}

func newOutput(out func(stream, text string), begin func() (*results.Draft, error)) *output {
	return &output{out: out, long: longOutput{begin: begin}}
}

func (o *output) stream(name string) stream { return stream{o, name} }

type stream struct {
	to   *output
	name string
}

func (s stream) Write(b []byte) (int, error) {
	s.to.write(b)
	s.to.out(s.name, string(b))
	return len(b), nil
}

func (o *output) write(b []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.total += len(b)
	n := min(maxOutput/2-len(o.head), len(b))
	o.head = append(o.head, b[:n]...)
	o.tail = append(o.tail, b[n:]...)
	if o.long.started() {
		o.long.write(b)
	}
	if len(o.tail) > maxOutput {
		o.spill() // only now and then, not for every write
		o.tail = append(o.tail[:0], o.tail[len(o.tail)-maxOutput/2:]...)
	}
}

// The caller must hold the lock.
func (o *output) spill() {
	if o.long.started() || o.total != len(o.head)+len(o.tail) {
		return
	}
	o.long.write(o.head)
	o.long.write(o.tail)
}

func (o *output) whole() (toolspec.SpooledText, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.total <= maxOutput {
		return nil, nil
	}
	o.spill()
	o.released = true
	return o.long.end()
}

func (o *output) discard() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.long.draft != nil && !o.released {
		o.long.draft.Discard()
	}
}

func (o *output) text() (text string, left int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	tail := o.tail[max(0, len(o.tail)-maxOutput/2):]
	if left = o.total - len(o.head) - len(tail); left == 0 {
		return clean(string(o.head) + string(tail)), 0
	}
	// The cuts move to line ends that are near enough.
	head := o.head
	if i := strings.LastIndexByte(string(head), '\n'); i > len(head)/2 {
		head = head[:i+1]
	}
	if i := strings.IndexByte(string(tail), '\n'); i >= 0 && i < len(tail)/2 {
		tail = tail[i+1:]
	}
	left = o.total - len(head) - len(tail)
	return clean(string(head)) + fmt.Sprintf("\n… %d bytes left out …\n", left) + clean(string(tail)), left
}

var escapeSequence = regexp.MustCompile("\x1b(\\[[0-9;:?]*[ -/]*[@-~]|\\][^\x07\x1b]*(\x07|\x1b\\\\)|[@-Z^_])")

func clean(s string) string { return strings.TrimRight(printable(s), "\n") }

func printable(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = escapeSequence.ReplaceAllString(s, "")
	return excerpt.Printable(s)
}

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
