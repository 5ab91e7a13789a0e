package mcpserver

import (
	"bytes"
	"context"
	"crypto/rand"
	"io"
	"sync"
)

// spliceFrom is the length from which a part of an answer bypasses the SDK, which copies each answer several
// times.
const spliceFrom = 2048

// splicer writes to the client and replaces placeholders in an answer by parts that are JSON already.
// Placeholders are random, so that no text of a page can be one.
type splicer struct {
	out io.Writer

	mu    sync.Mutex
	parts map[string][]byte
}

const (
	partMark = "sextant-part-"
	partLong = len(partMark) + 26
)

// keep stores a part until it is written or ctx, the request's, ends; it returns the placeholder.
func (s *splicer) keep(ctx context.Context, raw []byte) string {
	mark := partMark + rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.parts == nil {
		s.parts = map[string][]byte{}
	}
	s.parts[mark] = raw
	context.AfterFunc(ctx, func() { s.take(mark) })
	return mark
}

func (s *splicer) take(mark string) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	raw, ok := s.parts[mark]
	delete(s.parts, mark)
	return raw, ok
}

// Write writes one message with its parts.
func (s *splicer) Write(message []byte) (int, error) {
	s.mu.Lock()
	waiting := len(s.parts)
	s.mu.Unlock()
	if waiting == 0 {
		return s.out.Write(message)
	}
	var whole []byte
	from := 0
	for {
		i := bytes.Index(message[from:], []byte(`"`+partMark))
		if i < 0 || from+i+partLong+2 > len(message) {
			break
		}
		at := from + i
		raw, ok := s.take(string(message[at+1 : at+1+partLong]))
		if !ok {
			whole = append(whole, message[from:at+1]...)
			from = at + 1
			continue
		}
		if whole == nil {
			whole = make([]byte, 0, len(message)+2*len(raw)+256)
		}
		whole = append(append(whole, message[from:at]...), raw...)
		from = at + partLong + 2
	}
	if from == 0 {
		return s.out.Write(message)
	}
	if _, err := s.out.Write(append(whole, message[from:]...)); err != nil {
		return 0, err
	}
	return len(message), nil
}

// Close closes the stream if it can be closed.
func (s *splicer) Close() error {
	if c, ok := s.out.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
