package procgroup

import (
	"cmp"
	"strings"
	"sync"
)

// Tail is an io.Writer that keeps the last bytes written, for the log of a program. The zero value is ready to use. It
// is safe for concurrent use.
type Tail struct {
	// Limit is the number of bytes to keep; 0 means 64 KB.
	Limit int

	mu   sync.Mutex
	data []byte
}

const defaultTailBytes = 64 << 10

// Write appends p and drops the oldest bytes. It never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, limit := len(p), cmp.Or(t.Limit, defaultTailBytes)
	if n > limit {
		p = p[n-limit:]
	}
	t.data = append(t.data, p...)
	if over := len(t.data) - limit; over > 0 {
		t.data = append(t.data[:0], t.data[over:]...)
	}
	return n, nil
}

// String returns the last bytes written.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(t.data), "�")
}

// LastLine returns the last meaningful line, cut to 300 bytes, or "" if there is none.
func (t *Tail) LastLine() string {
	lines := strings.Split(strings.TrimSpace(t.String()), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		line := strings.TrimSpace(lines[i])
		// Skip stack traces and closing brackets, which explain nothing.
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
