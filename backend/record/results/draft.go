package results

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync"
	"unicode/utf8"
)

// Draft is a text on its way to be kept. It implements io.Writer and toolspec.Whole, and may be
// written to concurrently; what is beyond MaxBytes is left out. Discard it when it is not kept.
type Draft struct {
	mu   sync.Mutex
	file *os.File
	to   *bufio.Writer
	// partial is the beginning of a character that is not whole yet.
	partial []byte
	bytes   int64
	lines   int
	// open is true while the last line has no end.
	open bool
	cut  bool
	err  error
	done bool
}

// Draft begins a text.
func (s *Store) Draft() (*Draft, error) {
	f, err := os.CreateTemp(s.dir, unfinished+"*")
	if err != nil {
		return nil, fmt.Errorf("keeping a result: %w", err)
	}
	return &Draft{file: f, to: bufio.NewWriterSize(f, 64<<10)}, nil
}

// Write adds b. What is no UTF-8 becomes U+FFFD.
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
	if n := begun(text); n > 0 {
		d.partial = append(d.partial, text[len(text)-n:]...)
		text = text[:len(text)-n]
	}
	d.put(text)
	return len(b), d.err
}

// begun is how many bytes at the end of b begin a character without ending it.
func begun(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if c := b[len(b)-n]; utf8.RuneStart(c) {
			if !utf8.FullRune(b[len(b)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}

// put writes whole characters. The caller holds the lock.
func (d *Draft) put(text []byte) {
	text = bytes.ToValidUTF8(text, []byte("\uFFFD"))
	if room := MaxBytes - d.bytes; int64(len(text)) > room {
		text = text[:room]
		text = text[:len(text)-begun(text)]
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

// finish writes what is left and closes the file.
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

// Discard removes the draft; a kept one is left as it is.
func (d *Draft) Discard() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.done = true
	// Both fail when it was kept: then the file is closed and has another name.
	_ = d.file.Close()
	_ = os.Remove(d.file.Name())
}

// hide writes a finished draft anew as mask shows it. Only the whole text is masked: what is
// hidden may go over the end of a piece and of a line.
func (d *Draft) hide(mask func(string) string) error {
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
