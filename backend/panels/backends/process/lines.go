package process

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

const maxLine = maxAnswer + 1<<20

// line is a message to or from a program. A message from the program is a progress message if it has Progress,
// otherwise an answer. An answer without Status has the status 200, or 500 if it has an Error and no Body.
type line struct {
	ID     int64             `json:"id"`
	Method string            `json:"method,omitempty"`
	Path   string            `json:"path,omitempty"`
	Query  string            `json:"query,omitempty"`
	Body   json.RawMessage   `json:"body,omitempty"`
	Status int               `json:"status,omitempty"`
	Header map[string]string `json:"headers,omitempty"`
	// Progress is shown until the call ends.
	Progress string `json:"progress,omitempty"`
	Error    string `json:"error,omitempty"`
}

type waiter struct {
	answer   chan line
	progress chan string
}

// lines exchanges lines of JSON with a program: requests to its standard input, and answers in any order from its
// standard output. Lines that are no JSON objects go to its log.
type lines struct {
	log io.Writer
	in  *os.File

	writing sync.Mutex
	mu      sync.Mutex
	next    int64
	waiting map[int64]waiter
	part    []byte
	broken  error
	done    chan struct{}
}

var errTooLong = fmt.Errorf("it wrote a line of more than %d MB", maxLine>>20)

func newLines(log io.Writer) (l *lines, in *os.File, err error) {
	in, out, err := os.Pipe()
	if err != nil {
		return nil, nil, fmt.Errorf("opening a pipe: %w", err)
	}
	return &lines{log: log, in: out, waiting: map[int64]waiter{}, done: make(chan struct{})}, in, nil
}

func (l *lines) watch(p program) {
	select {
	case <-p.Done():
		l.end(io.ErrUnexpectedEOF)
	case <-l.done:
		p.Stop(stopGrace)
	}
}

func (l *lines) end(why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken == nil {
		l.broken = why
		close(l.done)
	}
}

func (l *lines) close() {
	l.end(os.ErrClosed)
	_ = l.in.Close()
}

// Write implements io.Writer for the output of the program. It does not wait for a call to read, so that the program is
// not blocked. A line of more than maxLine bytes ends the connection.
func (l *lines) Write(b []byte) (int, error) {
	n := len(b)
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(b) > 0 && l.broken == nil {
		at := bytes.IndexByte(b, '\n')
		if at < 0 {
			if len(l.part)+len(b) > maxLine {
				l.part, l.broken = nil, errTooLong
				close(l.done)
				break
			}
			l.part = append(l.part, b...)
			break
		}
		whole := b[:at]
		if len(l.part) > 0 {
			whole = append(l.part, whole...)
			l.part = nil
		}
		b = b[at+1:]
		l.take(whole)
	}
	return n, nil
}

func (l *lines) take(text []byte) {
	var got line
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) || json.Unmarshal(text, &got) != nil {
		_, _ = l.log.Write(append(text, '\n')) // writing to a Tail never fails
		return
	}
	wait, ok := l.waiting[got.ID]
	switch {
	case !ok: // the call has ended
	case got.Progress != "":
		select {
		case wait.progress <- got.Progress:
		default: // drop progress that is not read in time
		}
	default:
		delete(l.waiting, got.ID)
		wait.answer <- got
	}
}

func (l *lines) ask(ctx context.Context, q Request, output func(stream, text string)) (*http.Response, error) {
	wait := waiter{answer: make(chan line, 1), progress: make(chan string, 16)}
	l.mu.Lock()
	l.next++
	id := l.next
	l.waiting[id] = wait
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		delete(l.waiting, id)
		l.mu.Unlock()
	}()
	text, err := json.Marshal(line{ID: id, Method: q.Method, Path: q.Path, Query: q.Query, Body: q.Body})
	if err != nil {
		return nil, fmt.Errorf("writing the request: %w", err)
	}
	if err := l.send(ctx, append(text, '\n')); err != nil {
		return nil, err
	}
	for {
		select {
		case word := <-wait.progress:
			output("progress", word)
		case got := <-wait.answer:
			return response(got), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-l.done:
			return nil, l.why()
		}
	}
}

func (l *lines) why() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.broken
}

// If the program does not read, send waits until ctx ends.
func (l *lines) send(ctx context.Context, text []byte) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	_ = l.in.SetWriteDeadline(time.Time{})
	stop := context.AfterFunc(ctx, func() { _ = l.in.SetWriteDeadline(time.Unix(1, 0)) })
	defer stop()
	n, err := l.in.Write(text)
	if err != nil && n > 0 {
		// After a part of a line nothing else can be sent, so the program must be restarted.
		l.end(fmt.Errorf("it did not read its input: %w", err))
	}
	if errors.Is(err, os.ErrDeadlineExceeded) && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

func response(got line) *http.Response {
	res := &http.Response{StatusCode: got.Status, Header: http.Header{}}
	for name, value := range got.Header {
		res.Header.Set(name, value)
	}
	body := []byte(got.Body)
	if got.Error != "" && len(body) == 0 {
		body, _ = json.Marshal(map[string]string{"error": got.Error}) // marshaling a map of strings never fails
		if res.StatusCode == 0 {
			res.StatusCode = http.StatusInternalServerError
		}
	}
	if res.StatusCode == 0 {
		res.StatusCode = http.StatusOK
	}
	// Without a Content-Type, the body is JSON.
	var text string
	if kind := res.Header.Get("Content-Type"); kind == "" {
		res.Header.Set("Content-Type", "application/json")
	} else if json.Unmarshal(body, &text) == nil {
		body = []byte(text)
		if picture, err := base64.StdEncoding.DecodeString(text); err == nil && strings.HasPrefix(kind, "image/") {
			body = picture
		}
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	return res
}
