// Package stream reads streamed answers: text/event-stream, JSON lines, and plain text of unknown length. It passes the
// output on as it arrives, and returns the end of the stream as an Outcome.
//
// A piece of a stream is a line or an event: text, or a JSON object with one of these members:
//
//	{"output": "…"}    text of the call, passed on unchanged
//	{"progress": "…"}  a progress message, on a separate line
//	{"result": …}      the result of the call; nothing is read after it
//	{"error": …}       why the call failed, in any form that package errortext knows; nothing is read after it
//
// Other objects count as text. In an event stream, the name of the event (progress, result or error) can be used
// instead of the member. Without a result, the output is meant to be the result.
//
// Everything that is read is untrusted and limited in size.
package stream

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"strings"
)

// Kind says how an answer is streamed. KindNone means that it is not streamed.
type Kind int

// The kinds of answers.
const (
	KindNone Kind = iota
	KindEvents
	KindLines
	KindText
)

const (
	maxPiece = 1 << 20
	maxText  = 200_000
)

// ErrTooLarge reports that the answer, or one line or event of it, exceeds its limit.
var ErrTooLarge = errors.New("the answer is too large")

// KindOf returns the kind of an answer with the given Content-Type. open means that the length of the answer is
// unknown; only then does text count as streamed.
func KindOf(contentType string, open bool) Kind {
	kind, _, err := mime.ParseMediaType(contentType)
	switch {
	case err != nil:
		return KindNone
	case kind == "text/event-stream":
		return KindEvents
	case kind == "application/x-ndjson", kind == "application/ndjson", kind == "application/jsonl",
		kind == "application/x-jsonlines":
		return KindLines
	case open && strings.HasPrefix(kind, "text/"):
		return KindText
	}
	return KindNone
}

// Outcome is the end of a stream. At most one of Result and Failure is set; both are JSON. Text is the beginning of the
// output, without progress messages, and Omitted the number of bytes that it omits.
type Outcome struct {
	Result, Failure json.RawMessage
	Text            string
	Omitted         int
}

// Read reads at most limit bytes of body until a result, an error or its end. It calls out for each piece of output;
// stream is "stdout" or "progress". If the stream breaks or is too large (ErrTooLarge), Read returns an error together
// with the outcome until then.
func Read(kind Kind, body io.Reader, limit int64, out func(stream, text string)) (Outcome, error) {
	r := &reader{out: out}
	left := &io.LimitedReader{R: body, N: limit + 1}
	var err error
	switch kind {
	case KindEvents:
		err = r.events(left)
	case KindText:
		err = r.text(left)
	default:
		err = r.lines(left)
	}
	r.outcome.Text = r.kept.String()
	if err == nil && left.N == 0 {
		err = ErrTooLarge
	}
	if errors.Is(err, errEnd) {
		err = nil
	}
	return r.outcome, err
}

var errEnd = errors.New("the result is there")

type reader struct {
	out     func(stream, text string)
	kept    strings.Builder
	outcome Outcome
}

func (r *reader) output(text string) {
	if text == "" {
		return
	}
	r.out("stdout", text)
	room := maxText - r.kept.Len()
	if room >= len(text) {
		r.kept.WriteString(text)
		return
	}
	if r.outcome.Omitted == 0 {
		kept := strings.ToValidUTF8(text[:max(0, room)], "")
		r.kept.WriteString(kept)
		text = text[len(kept):]
	}
	r.outcome.Omitted += len(text)
}

func (r *reader) progress(text string) {
	if text = strings.TrimRight(text, "\r\n"); text != "" {
		r.out("progress", text+"\n")
	}
}

func (r *reader) text(body io.Reader) error {
	piece := make([]byte, 8<<10)
	held := 0
	for {
		n, err := body.Read(piece[held:])
		n += held
		// An incomplete character waits for the rest of its bytes.
		held = unfinished(piece[:n])
		if errors.Is(err, io.EOF) {
			held = 0
		}
		r.output(strings.ToValidUTF8(string(piece[:n-held]), "\uFFFD"))
		copy(piece, piece[n-held:n])
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// unfinished returns the number of bytes at the end of b that are an incomplete UTF-8 character.
func unfinished(b []byte) int {
	for n := 1; n <= min(3, len(b)); n++ {
		c := b[len(b)-n]
		switch {
		case c&0xC0 == 0x80:
			continue
		case c >= 0xF0 && n < 4, c >= 0xE0 && c < 0xF0 && n < 3, c >= 0xC0 && c < 0xE0 && n < 2:
			return n
		}
		return 0
	}
	return 0
}

func scanner(body io.Reader) *bufio.Scanner {
	s := bufio.NewScanner(body)
	s.Buffer(make([]byte, 0, 16<<10), maxPiece)
	return s
}

func ended(s *bufio.Scanner) error {
	if errors.Is(s.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("a line is longer than %d MB: %w", maxPiece>>20, ErrTooLarge)
	}
	return s.Err()
}

func (r *reader) lines(body io.Reader) error {
	s := scanner(body)
	for s.Scan() {
		if err := r.piece("", s.Text()); err != nil {
			return err
		}
	}
	return ended(s)
}

func (r *reader) events(body io.Reader) error {
	s := scanner(body)
	name, data := "", []string(nil)
	size := 0
	for s.Scan() {
		line := s.Text()
		if line == "" {
			if err := r.piece(name, strings.Join(data, "\n")); err != nil {
				return err
			}
			name, data, size = "", nil, 0
			continue
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "event":
			name = value
		case "data":
			if size += len(value); size > maxPiece {
				return fmt.Errorf("an event is longer than %d MB: %w", maxPiece>>20, ErrTooLarge)
			}
			data = append(data, value)
		}
	}
	if err := ended(s); err != nil {
		return err
	}
	// The end of the stream also ends the last event.
	return r.piece(name, strings.Join(data, "\n"))
}

func (r *reader) piece(name, text string) error {
	text = strings.ToValidUTF8(strings.TrimSuffix(text, "\r"), "\uFFFD")
	if strings.TrimSpace(text) == "" || text == "[DONE]" {
		return nil
	}
	switch name {
	case "result":
		r.outcome.Result = asJSON(text)
		return errEnd
	case "error":
		r.outcome.Failure = asJSON(text)
		return errEnd
	case "progress":
		r.progress(words(text))
		return nil
	}
	var known struct {
		Output   *string         `json:"output"`
		Progress json.RawMessage `json:"progress"`
		Result   json.RawMessage `json:"result"`
		Error    json.RawMessage `json:"error"`
	}
	if strings.HasPrefix(strings.TrimSpace(text), "{") && json.Unmarshal([]byte(text), &known) == nil {
		return r.members(text, known.Output, known.Progress, known.Result, known.Error)
	}
	r.output(text + "\n")
	return nil
}

func (r *reader) members(text string, output *string, progress, result, failure json.RawMessage) error {
	switch {
	case len(failure) > 0 && !bytes.Equal(failure, []byte("null")):
		r.outcome.Failure = json.RawMessage(text)
		return errEnd
	case len(result) > 0:
		r.outcome.Result = bytes.Clone(result)
		return errEnd
	case output != nil:
		r.output(*output)
	case len(progress) > 0:
		r.progress(words(string(progress)))
	default:
		r.output(text + "\n")
	}
	return nil
}

// words returns the text of a progress message: a string, the message of an object, or else the JSON.
func words(text string) string {
	var s string
	if json.Unmarshal([]byte(text), &s) == nil {
		return s
	}
	var o struct {
		Message string `json:"message"`
	}
	if json.Unmarshal([]byte(text), &o) == nil && o.Message != "" {
		return o.Message
	}
	return text
}

// asJSON returns text if it is JSON, else text as a JSON string.
func asJSON(text string) json.RawMessage {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	b, err := json.Marshal(text)
	if err != nil {
		return json.RawMessage(`""`) // marshaling a string never fails
	}
	return b
}
