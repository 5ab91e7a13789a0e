package mcpserver

import (
	"bytes"
	"context"
	"crypto/rand"
	"io"
	"sync"
)

// minSpliced is the size in bytes from which a part of an answer bypasses the SDK, which copies each answer
// several times.
const minSpliced = 2048

// spliceWriter writes to the client and replaces placeholders in an answer with parts that are already JSON.
// Placeholders are random, so that text of a page cannot contain one.
type spliceWriter struct {
	out io.Writer

	mu    sync.Mutex
	parts map[string][]byte
}

const (
	placeholderPrefix = "sextant-part-"
	placeholderLen    = len(placeholderPrefix) + 26
)

// add stores a part until it is written or until ctx ends. It returns the placeholder.
func (s *spliceWriter) add(ctx context.Context, raw []byte) string {
	mark := placeholderPrefix + rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.parts == nil {
		s.parts = map[string][]byte{}
	}
	s.parts[mark] = raw
	context.AfterFunc(ctx, func() { s.take(mark) })
	return mark
}

func (s *spliceWriter) take(mark string) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	raw, ok := s.parts[mark]
	delete(s.parts, mark)
	return raw, ok
}

// Write writes one message with its parts.
func (s *spliceWriter) Write(message []byte) (int, error) {
	s.mu.Lock()
	waiting := len(s.parts)
	s.mu.Unlock()
	if waiting == 0 {
		return s.out.Write(message)
	}
	var whole []byte
	from := 0
	for {
		i := bytes.Index(message[from:], []byte(`"`+placeholderPrefix))
		if i < 0 || from+i+placeholderLen+2 > len(message) {
			break
		}
		at := from + i
		raw, ok := s.take(string(message[at+1 : at+1+placeholderLen]))
		if !ok {
			whole = append(whole, message[from:at+1]...)
			from = at + 1
			continue
		}
		if whole == nil {
			whole = make([]byte, 0, len(message)+2*len(raw)+256)
		}
		whole = append(append(whole, message[from:at]...), raw...)
		from = at + placeholderLen + 2
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
func (s *spliceWriter) Close() error {
	if c, ok := s.out.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
