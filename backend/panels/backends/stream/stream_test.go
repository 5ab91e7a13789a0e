package stream

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// read reads text and returns what was forwarded, "progress" in brackets.
func read(kind Kind, r io.Reader, limit int64) (Outcome, string, error) {
	var shown strings.Builder
	o, err := Read(kind, r, limit, func(stream, text string) {
		if stream == "progress" {
			text = "[" + strings.TrimSuffix(text, "\n") + "]"
		}
		shown.WriteString(text)
	})
	return o, shown.String(), err
}

func TestChunksAndOutcome(t *testing.T) {
	for _, c := range []struct {
		name, text, shown, result, failure, kept string
		kind                                     Kind
	}{
		{
			"lines with a result",
			`{"output":"one "}` + "\n" + `{"progress":"half"}` + "\n" + `{"output":"two"}` + "\n" +
				`{"result":{"n":2}}` + "\n" + `{"output":"late"}`, "one [half]two", `{"n":2}`, "", "one two", KindLines,
		},
		{
			"lines without a result", "{\"a\":1}\n[2]\nplain\r\n\n", "{\"a\":1}\n[2]\nplain\n", "", "",
			"{\"a\":1}\n[2]\nplain\n", KindLines,
		},
		{
			"a line with an error", `{"output":"x"}` + "\n" + `{"error":"no room","suggestion":"Make some."}`, "x", "",
			`{"error":"no room","suggestion":"Make some."}`, "x", KindLines,
		},
		{"a null error is none", `{"error":null,"result":true}`, "", "true", "", "", KindLines},
		{"a broken line is text", `{"output":`, "{\"output\":\n", "", "", "{\"output\":\n", KindLines},
		{
			"events by their names",
			": hello\nevent: progress\ndata: \"1 of 2\"\n\ndata: line one\ndata: line two\n\nevent: result\ndata: " +
				"{\"ok\":1}\n\ndata: late\n\n", "[1 of 2]line one\nline two\n", `{"ok":1}`, "", "line one\nline two\n",
			KindEvents,
		},
		{
			"events by their members", "data: {\"output\":\"Hel\"}\n\ndata: {\"output\":\"lo\"}\n\ndata: [DONE]\n\n",
			"Hello", "", "", "Hello", KindEvents,
		},
		{"an event that fails", "event: error\ndata: it is late\n\n", "", "", `"it is late"`, "", KindEvents},
		{"a last event without its empty line", "event: result\r\ndata: 7", "", "7", "", "", KindEvents},
		{"a result that is text", "event: result\ndata: well done\n\n", "", `"well done"`, "", "", KindEvents},
		{"text", "grüße\nmehr", "grüße\nmehr", "", "", "grüße\nmehr", KindText},
		{"progress with a message", `{"progress":{"message":"reading","percent":3}}`, "[reading]", "", "", "", KindLines},
	} {
		t.Run(c.name, func(t *testing.T) {
			for how, r := range map[string]io.Reader{
				"whole":        strings.NewReader(c.text),
				"byte by byte": iotest.OneByteReader(strings.NewReader(c.text)),
			} {
				t.Run(how, func(t *testing.T) {
					o, shown, err := read(c.kind, r, 1<<20)
					if err != nil || shown != c.shown || string(o.Result) != c.result ||
						string(o.Failure) != c.failure ||
						o.Text != c.kept {
						t.Errorf("%s, %s: shown %q, result %s, failure %s, kept %q, %v", c.name, how, shown, o.Result,
							o.Failure, o.Text, err)
					}
				})
			}
		})
	}
}

func TestStreamIsBounded(t *testing.T) {
	for name, c := range map[string]struct {
		kind Kind
		text string
	}{
		"in all":         {KindLines, strings.Repeat("{\"output\":\"x\"}\n", 1000)},
		"text in all":    {KindText, strings.Repeat("x", 2000)},
		"one line":       {KindLines, strings.Repeat("x", maxPiece+1)},
		"one event":      {KindEvents, strings.Repeat("data: "+strings.Repeat("x", 1000)+"\n", maxPiece/1000+1)},
		"one long field": {KindEvents, "data: " + strings.Repeat("x", maxPiece)},
	} {
		t.Run(name, func(t *testing.T) {
			limit := int64(1000)
			if len(c.text) > maxPiece {
				limit = 5 << 20
			}
			if _, _, err := read(c.kind, strings.NewReader(c.text), limit); !errors.Is(err, ErrTooLarge) {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	o, shown, err := read(KindText, strings.NewReader(strings.Repeat("ü", maxText)), 5<<20)
	if err != nil || len(shown) != 2*maxText || len(o.Text)+o.Omitted != 2*maxText || len(o.Text) > maxText ||
		strings.ContainsRune(o.Text, '\uFFFD') {
		t.Errorf("kept %d, left %d of %d, %v", len(o.Text), o.Omitted, len(shown), err)
	}
}

func TestTruncatedStreamKeepsText(t *testing.T) {
	broken := errors.New("reset")
	for _, kind := range []Kind{KindLines, KindEvents, KindText} {
		o, _, err := read(kind, io.MultiReader(strings.NewReader("data: a\n\n"), iotest.ErrReader(broken)), 1000)
		if !errors.Is(err, broken) || !strings.Contains(o.Text, "a") {
			t.Errorf("%d: %q, %v", kind, o.Text, err)
		}
	}
}

func TestStreamingContentTypes(t *testing.T) {
	for contentType, want := range map[string]Kind{
		"text/event-stream; charset=utf-8": KindEvents, "application/x-ndjson": KindLines,
		"application/jsonl": KindLines,
		"text/plain":        KindText, "application/json": KindNone, "": KindNone, ";": KindNone, "image/png": KindNone,
	} {
		t.Run(contentType, func(t *testing.T) {
			if got := KindOf(contentType, true); got != want {
				t.Errorf("%q is %d", contentType, got)
			}
		})
	}
	if KindOf("text/plain", false) != KindNone {
		t.Error("text whose length is known comes in pieces")
	}
}

func FuzzRead(f *testing.F) {
	f.Add(1, "event: result\ndata: {}\n\n")
	f.Add(2, `{"output":"x"}`)
	f.Add(3, "\xff\xf0\x9f")
	f.Fuzz(func(t *testing.T, kind int, text string) {
		o, shown, err := read(Kind(kind&3), strings.NewReader(text), 1<<16)
		if err == nil && len(o.Result) > 0 && len(o.Failure) > 0 {
			t.Error("it ended twice")
		}
		if strings.ToValidUTF8(shown, "") != shown && strings.ToValidUTF8(text, "") == text {
			t.Errorf("whole text was torn: %q", shown)
		}
	})
}
