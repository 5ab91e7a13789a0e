package terminal

import (
	"testing"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"one\r\ntwo\r\n":                         "one\ntwo",
		"10%\r20%\r100%\r\n":                     "100%",
		"abc\b\bX\r\n":                           "aXc",
		"\x1b[31mred\x1b[0m \x1b]0;title\x07end": "red end",
		"\x1b]52;c;ZXZpbA==\x1b\\after":          "after",
		"old line\r\x1b[Knew\r\n":                "new",
		"before\r\n\x1b[2J\x1b[Hafter":           "after",
		"a\tb":                                   "a       b",
		"half \x1b[3":                            "half",
		"half \x1b]0;never ended":                "half",
		"\x1bP1$r0m\x1b\\x":                      "x",
		"\x1b[99999999Gfar":                      "far",
		"é✓\x9b":                                 "é✓",
		"":                                       "",
	} {
		t.Run(in, func(t *testing.T) {
			got := plain([]byte(in), 100)
			if in == "\x1b[99999999Gfar" {
				if len(got) > maxColumn+3 {
					t.Errorf("a sequence made a line of %d characters", len(got))
				}
				return
			}
			if got != want && got != want+"\uFFFD" {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
	if got := plain([]byte("1\n2\n3\n4\n"), 2); got != "3\n4" {
		t.Errorf("the last lines: %q", got)
	}
}

func FuzzText(f *testing.F) {
	f.Add([]byte("\x1b[2K\x1b]0;a\x07b\r\nc"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if text := plain(b, 50); !utf8.ValidString(text) {
			t.Errorf("%q is not text", text)
		}
	})
}
