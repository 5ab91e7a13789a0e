package results

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync"

	"sextant/shared/excerpt"
)

// Draft is a text that is being written and is not stored yet. It is safe for concurrent use. Text beyond MaxBytes is
// dropped. The caller must call Discard unless Save stores it.
type Draft struct {
	mu   sync.Mutex
	file *os.File
	to   *bufio.Writer
	// partial is the beginning of an incomplete UTF-8 character.
	partial []byte
	bytes   int64
	lines   int
	// open is true if the last line does not end in a line break.
	open bool
	cut  bool
	err  error
	done bool
}

// NewDraft returns a new, empty Draft.
func (s *Store) NewDraft() (*Draft, error) {
	f, err := os.CreateTemp(s.dir, draftPrefix+"*")
	if err != nil {
		return nil, fmt.Errorf("storing a result: %w", err)
	}
	return &Draft{file: f, to: bufio.NewWriterSize(f, 64<<10)}, nil
}

// Write appends b. Invalid UTF-8 becomes U+FFFD.
func (d *Draft) Write(b []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err != nil || d.done {
		return len(b), d.err
	}
	text := b
	if len(d.partial) > 0 {
		text = append(d.partial, b...)
		d.partial = nil
	}
	n := excerpt.PrefixLen(text, len(text))
	d.partial = append(d.partial, text[n:]...)
	text = text[:n]
	d.put(text)
	return len(b), d.err
}

// The caller must lock mu.
func (d *Draft) put(text []byte) {
	text = bytes.ToValidUTF8(text, []byte("\uFFFD"))
	if left := MaxBytes - d.bytes; int64(len(text)) > left {
		text = text[:left]
		text = text[:excerpt.PrefixLen(text, len(text))]
		d.cut = true
		d.done = true
	}
	if len(text) == 0 {
		return
	}
	d.bytes += int64(len(text))
	d.lines += bytes.Count(text, []byte{'\n'})
	d.open = text[len(text)-1] != '\n'
	_, d.err = d.to.Write(text)
}

func (d *Draft) finish() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err == nil && !d.done && len(d.partial) > 0 {
		d.put(d.partial)
		d.partial = nil
	}
	d.done = true
	if d.open {
		d.lines++
		d.open = false
	}
	if d.err == nil {
		d.err = d.to.Flush()
	}
	if err := d.file.Close(); d.err == nil {
		d.err = err
	}
	return d.err
}

// Discard removes the draft. It does nothing if the draft was stored.
func (d *Draft) Discard() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.done = true
	// Both fail if the draft was stored: its file is closed and has another name.
	_ = d.file.Close()
	_ = os.Remove(d.file.Name())
}

// mask rewrites a finished draft with mask applied to the whole text, because a secret may span pieces or lines.
func (d *Draft) mask(mask func(string) string) error {
	b, err := os.ReadFile(d.file.Name())
	if err != nil {
		return err
	}
	text := string(b)
	shown := mask(text)
	if shown == text {
		return nil
	}
	if err := os.WriteFile(d.file.Name(), []byte(shown), 0o600); err != nil {
		return err
	}
	d.bytes, d.lines = int64(len(shown)), strings.Count(shown, "\n")
	if shown != "" && !strings.HasSuffix(shown, "\n") {
		d.lines++
	}
	return nil
}
