package modelapi

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

const maxEvent = 2 * maxAnswerBytes

// errMalformed means that a part of the stream cannot be read. Its content is unknown, so no call of the answer
// counts as complete.
var errMalformed = errors.New("a part of the answer could not be read")

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errMalformed, fmt.Sprintf(format, args...))
}

type sseEvent struct {
	name string
	data []byte
}

// sseReader reads server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) more
// strictly than the standard, which skips unknown lines. Here they are errors, because such a line may be part of
// a call.
type sseReader struct {
	lines *bufio.Reader
	data  bytes.Buffer
}

func newSSEReader(r io.Reader) *sseReader { return &sseReader{lines: bufio.NewReader(r)} }

// next returns the next event with data, valid until the following call. At the end of the stream it drops a
// truncated event and returns io.EOF.
func (r *sseReader) next() (sseEvent, error) {
	var e sseEvent
	r.data.Reset()
	for {
		line, err := r.line()
		if err != nil {
			return sseEvent{}, err
		}
		if len(line) == 0 {
			if r.data.Len() == 0 {
				e = sseEvent{}
				continue
			}
			e.data = r.data.Bytes()
			return e, nil
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "data":
			if r.data.Len() > 0 {
				r.data.WriteByte('\n')
			}
			r.data.Write(value)
			if r.data.Len() > maxEvent {
				return sseEvent{}, malformed("an event is larger than %d MB", maxEvent>>20)
			}
		case "event":
			e.name = string(value)
		case "id", "retry":
		case "": // a comment; one that looks like an event was meant as one
			if bytes.IndexByte(value, '{') >= 0 {
				return sseEvent{}, malformed("a comment holds data")
			}
		default:
			return sseEvent{}, malformed("a line is no server-sent event")
		}
	}
}

// line returns the next line without its line break. A last line without a line break is dropped.
func (r *sseReader) line() ([]byte, error) {
	var whole []byte
	for {
		part, err := r.lines.ReadSlice('\n')
		full := errors.Is(err, bufio.ErrBufferFull)
		if err != nil && !full {
			return nil, err //nolint:wrapcheck // the caller compares it with io.EOF
		}
		if full || whole != nil {
			whole = append(whole, part...)
			part = whole
		}
		if len(part) > maxEvent {
			return nil, malformed("a line is larger than %d MB", maxEvent>>20)
		}
		if !full {
			return bytes.TrimSuffix(bytes.TrimSuffix(part, []byte("\n")), []byte("\r")), nil
		}
	}
}

func newServiceError(data []byte) error { return &serviceError{data: bytes.Clone(data)} }

type serviceError struct{ data []byte }

func (s *serviceError) Error() string { return "the service ended the answer with an error" }

const incompleteCall = "the call was not sent to its end"
