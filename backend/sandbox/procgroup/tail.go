package procgroup

import (
	"strings"
	"sync"
)

// Tail holds the last 64 KB written to it, as the log of a program. The zero value is ready, and it is
// safe for concurrent use.
type Tail struct {
	mu   sync.Mutex
	data []byte
}

const tailBytes = 64 << 10

// Write appends p and drops the oldest bytes; it never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(p)
	if n > tailBytes {
		p = p[n-tailBytes:]
	}
	t.data = append(t.data, p...)
	if over := len(t.data) - tailBytes; over > 0 {
		t.data = append(t.data[:0], t.data[over:]...)
	}
	return n, nil
}

// String is the text held.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(t.data), "�")
}

// Last is the last meaningful line, at most 300 bytes; "" when there is none.
func (t *Tail) Last() string {
	lines := strings.Split(strings.TrimSpace(t.String()), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		line := strings.TrimSpace(lines[i])
		// Stack traces and closing brackets explain nothing.
		if line == "" || strings.HasPrefix(line, "at ") || strings.Trim(line, "{}[]()^~- ") == "" ||
			strings.HasPrefix(line, "Node.js v") {
			continue
		}
		if len(line) > 300 {
			line = strings.ToValidUTF8(line[:300], "") + "…"
		}
		return line
	}
	return ""
}
