package excerpt

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestRunesAndBytesCutBetweenCharacters(t *testing.T) {
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
		t.Run(fmt.Sprintf("%q %d", c.text, c.n), func(t *testing.T) {
			if got := TruncateRunes(c.text, c.n); got != c.runes {
				t.Errorf("Runes(%q, %d) = %q, want %q", c.text, c.n, got, c.runes)
			}
			if got := TruncateBytes(c.text, c.n); got != c.bytes {
				t.Errorf("Bytes(%q, %d) = %q, want %q", c.text, c.n, got, c.bytes)
			}
		})
	}
	if got := TruncateRunes("a\xff\xfeb"+strings.Repeat("c", 100), 5); !utf8.ValidString(got) ||
		utf8.RuneCountInString(got) > 6 {
		t.Errorf("broken UTF-8 came out as %q", got)
	}
}

func TestLine(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "a\n  b": "a b", "12345": "12345", "1234 6": "1234…",
		"äöüäöü": "äöüä…",
	} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			if got := Line(text, 5); got != want {
				t.Errorf("Line(%q, 5) = %q, want %q", text, got, want)
			}
		})
	}
}

func TestFirstLines(t *testing.T) {
	got := FirstLines("one\r\ntwenty-two\nthree\nfour", 3, 6)
	if want := []string{"one", "twenty…", "three"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPrefixLenKeepsCharactersWhole(t *testing.T) {
	for _, c := range []struct {
		text    string
		n, want int
	}{
		{"", 3, 0},
		{"abc", 2, 2},
		{"aä", 2, 1},
		{"aä", 3, 3},
		{"aä", 9, 3},
		{"a\xc3", 9, 1},
		{"a\xe6\x97", 3, 1},
		{"a\xff", 2, 2},
	} {
		t.Run(fmt.Sprintf("%q %d", c.text, c.n), func(t *testing.T) {
			if got := PrefixLen(c.text, c.n); got != c.want {
				t.Errorf("PrefixLen(%q, %d) = %d, want %d", c.text, c.n, got, c.want)
			}
			if got := PrefixLen([]byte(c.text), c.n); got != c.want {
				t.Errorf("PrefixLen of the bytes %q, %d = %d, want %d", c.text, c.n, got, c.want)
			}
		})
	}
}

func TestPrintableDropsControlCharacters(t *testing.T) {
	if got := Printable("a\x1b[2J\u009b\tb\r\n\xff"); got != "a[2J\tb\n\uFFFD" {
		t.Errorf("%q", got)
	}
}

func ExampleEscape() {
	fmt.Println(Escape("pay\u202ehctib\nnow"))
	fmt.Println(Escape("one\u3164\U000e0101\u2800two ❤\ufe0f"))
	fmt.Println(EscapeLines("one\ntwo\a"))
	// Output:
	// pay\u202ehctib\u000anow
	// one\u3164\ue0101\u2800two ❤️
	// one
	// two\u0007
}
