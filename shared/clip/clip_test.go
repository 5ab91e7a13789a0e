package clip

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTextKeepsItsSize(t *testing.T) {
	for _, c := range []struct {
		text         string
		n            int
		runes, bytes string
	}{
		{"", 3, "", ""},
		{"äöü", 3, "äöü", "ä…"},
		{"äöü", 6, "äöü", "äöü"},
		{"äöüß", 3, "äöü…", "ä…"},
		{"日本語", 0, "…", "…"},
	} {
		if got := Runes(c.text, c.n); got != c.runes {
			t.Errorf("Runes(%q, %d) = %q, want %q", c.text, c.n, got, c.runes)
		}
		if got := Bytes(c.text, c.n); got != c.bytes {
			t.Errorf("Bytes(%q, %d) = %q, want %q", c.text, c.n, got, c.bytes)
		}
	}
	if got := Runes("a\xff\xfeb"+strings.Repeat("c", 100), 5); !utf8.ValidString(got) || utf8.RuneCountInString(got) > 6 {
		t.Errorf("broken UTF-8 came out as %q", got)
	}
}
