package modelapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/llm/openaitest"
)

// recorded are answers of each kind, small enough to try every byte of their streams.
func recorded() map[string]openaitest.Answer {
	click := openaitest.Call{ID: "c1", Name: "click", Args: `{"id":12,"why":"to pay"}`}
	return map[string]openaitest.Answer{
		"text":      {Text: "Größe: 12 m².", ChunkSize: 6, Usage: openaitest.Usage{Input: 5, Output: 4, Cached: 2}},
		"reasoning": {Reasoning: "Two shops.", Text: "The first.", ChunkSize: 6},
		"parallel calls": {
			Text:      "Paying.",
			Calls:     []openaitest.Call{click, {ID: "c2", Name: "type", Args: `{"text":"a {b}"}`}},
			ChunkSize: 10,
		},
	}
}

func eachRecorded(t *testing.T, do func(t *testing.T, format Format, turn openaitest.Answer, stream []byte)) {
	for _, format := range []Format{FormatChat, FormatResponses, FormatAnthropic} {
		for name, turn := range recorded() {
			t.Run(string(format)+" "+name, func(t *testing.T) {
				t.Parallel()
				do(t, format, turn, openaitest.RenderAs(openaitest.Format(format), turn))
			})
		}
	}
}

// outcome is the result of one stream.
type outcome struct {
	llm.Response
	streamed string
	err      error
}

// readAll reads body as an answer of a service that may be silent for a minute.
func readAll(t *testing.T, format Format, body func(ctx context.Context) io.Reader) outcome {
	t.Helper()
	m := &Client{Endpoint: Endpoint{Label: "The service", Format: format}, Model: "m", IdleTimeout: time.Minute}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	idle := time.AfterFunc(m.IdleTimeout, func() { cancel(errStalled) })
	defer idle.Stop()
	var o outcome
	var streamed strings.Builder
	o.Response, o.err = m.read(ctx, body(ctx), idle, func(d llm.Delta) { streamed.WriteString(d.Text) })
	o.streamed = streamed.String()
	return o
}

func of(b []byte) func(context.Context) io.Reader {
	return func(context.Context) io.Reader { return bytes.NewReader(b) }
}

// check tests what is true of every outcome, however the stream was damaged.
func (o outcome) check(t *testing.T, turn openaitest.Answer, how string, at int) {
	t.Helper()
	var e *llm.Error
	switch {
	case o.streamed != o.Text:
		t.Fatalf("%s at %d: the person saw %q, kept is %q", how, at, o.streamed, o.Text)
	case o.err != nil && (len(o.Calls) > 0 || len(o.BrokenCalls) > 0):
		t.Fatalf("%s at %d: calls of a broken answer: %+v", how, at, o.Response)
	case o.err != nil && (!errors.As(o.err, &e) || e.Suggestion == ""):
		t.Fatalf("%s at %d: %v says nothing of what to do", how, at, o.err)
	case len(o.Calls) > len(turn.Calls):
		t.Fatalf("%s at %d: more calls than were sent: %+v", how, at, o.Calls)
	}
	for _, c := range o.Calls {
		whole := false
		for _, sent := range turn.Calls {
			whole = whole || countDifferences(string(c.Args), sent.Args) <= 1
		}
		if !json.Valid(c.Args) || !whole {
			t.Fatalf("%s at %d: half a call would run: %s %s", how, at, c.Name, c.Args)
		}
	}
}

// countDifferences counts differing bytes; texts of different lengths differ completely.
func countDifferences(a, b string) int {
	if len(a) != len(b) {
		return max(len(a), len(b))
	}
	n := 0
	for i := range a {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}

func TestStreamCutAtAnyByte(t *testing.T) {
	t.Parallel()
	eachRecorded(t, func(t *testing.T, format Format, turn openaitest.Answer, stream []byte) {
		whole := 0
		for at := range len(stream) + 1 {
			o := readAll(t, format, of(stream[:at]))
			o.check(t, turn, "cut", at)
			if o.err == nil {
				whole++
				if o.Text != turn.Text || len(o.Calls) != len(turn.Calls) {
					t.Fatalf("cut at %d: taken as whole: %+v", at, o.Response)
				}
			} else if llm.KindOf(o.err) != llm.KindInterrupted || !strings.HasPrefix(turn.Text, o.Text) {
				t.Fatalf("cut at %d: text %q, error %v", at, o.Text, o.err)
			}
			// What came before the cut is there, counted independently.
			if sent := sentBefore(format, stream[:at]); !strings.HasPrefix(o.Text, sent) {
				t.Fatalf("cut at %d: %q came, kept is %q", at, sent, o.Text)
			}
		}
		if whole == 0 {
			t.Error("not even the whole stream is a whole answer")
		}
	})
}

// sentBefore is the text of the complete events in part, found without the readers under test.
func sentBefore(format Format, part []byte) string {
	var text strings.Builder
	events := strings.Split(string(part), "\n\n")
	for _, e := range events[:len(events)-1] {
		_, data, _ := strings.Cut(e, "data: ")
		var v struct {
			Type    string `json:"type"`
			Choices []struct {
				Delta struct {
					Content string `json:"content"`
				} `json:"delta"`
			} `json:"choices"`
			Delta json.RawMessage `json:"delta"`
		}
		_ = json.Unmarshal([]byte(data), &v)
		switch format {
		case FormatResponses:
			var s string
			if v.Type == "response.output_text.delta" && json.Unmarshal(v.Delta, &s) == nil {
				text.WriteString(s)
			}
		case FormatAnthropic:
			var d struct {
				Text string `json:"text"`
			}
			_ = json.Unmarshal(v.Delta, &d)
			text.WriteString(d.Text)
		default:
			for _, c := range v.Choices {
				text.WriteString(c.Delta.Content)
			}
		}
	}
	return text.String()
}

// stallingReader yields its bytes and then blocks until the reader times out.
type stallingReader struct {
	ctx  context.Context //nolint:containedctx // it belongs to one connection
	left []byte
}

func (s *stallingReader) Read(p []byte) (int, error) {
	if len(s.left) > 0 {
		n := copy(p, s.left)
		s.left = s.left[n:]
		return n, nil
	}
	<-s.ctx.Done()
	return 0, s.ctx.Err()
}

func TestStreamStalledAtAnyByte(t *testing.T) {
	t.Parallel()
	eachRecorded(t, func(t *testing.T, format Format, turn openaitest.Answer, stream []byte) {
		synctest.Test(t, func(t *testing.T) {
			for at := range len(stream) + 1 {
				began := time.Now()
				o := readAll(
					t,
					format,
					func(ctx context.Context) io.Reader { return &stallingReader{ctx, stream[:at]} },
				)
				o.check(t, turn, "stalled", at)
				if o.err != nil && llm.KindOf(o.err) != llm.KindStalled ||
					!strings.HasPrefix(o.Text, sentBefore(format, stream[:at])) {
					t.Fatalf("stalled at %d: text %q, error %v", at, o.Text, o.err)
				}
				// The synctest clock is exact.
				if waited := time.Since(began); o.err != nil && waited != time.Minute ||
					o.err == nil && waited > usageTimeout {
					t.Fatalf("stalled at %d: waited %s, error %v", at, waited, o.err)
				}
			}
		})
	})
}

func TestStreamGarbledAtAnyByte(t *testing.T) {
	t.Parallel()
	every := 9
	if os.Getenv("SEXTANT_WHOLE") != "" {
		every = 3
	}
	eachRecorded(t, func(t *testing.T, format Format, turn openaitest.Answer, stream []byte) {
		for at := range stream {
			before := string(stream[:at])
			began := strings.LastIndex(before, "\n\n") + 1
			sent := sentBefore(format, stream[:began+1])
			// Each byte becomes one of nine others in turn, three in the long form, so that every event meets
			// all nine.
			all := []byte{0x00, '"', '1', 0xff, ':', 'x', '\n', '{', stream[at] ^ 0x20}
			for i, bad := range all {
				if bad == stream[at] || i%every != at%every {
					continue
				}
				garbled := bytes.Clone(stream)
				garbled[at] = bad
				o := readAll(t, format, of(garbled))
				o.check(t, turn, "garbled with "+string(bad), at)
				if !strings.HasPrefix(o.Text, sent) {
					t.Fatalf("garbled with %q at %d: %q came before, kept is %q", bad, at, sent, o.Text)
				}
			}
		}
	})
}
