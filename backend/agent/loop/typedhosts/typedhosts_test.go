package typedhosts_test

import (
	"slices"
	"strings"
	"testing"

	"sextant/backend/agent/loop/typedhosts"
)

func TestFind(t *testing.T) {
	for text, want := range map[string][]string{
		"open demo":                             nil,
		"open Example.com and annotate":         {"example.com"},
		"open https://Shop.Example/a?b=c#d, ok": {"shop.example"},
		"go to http://127.0.0.1:8080/x":         {"127.0.0.1:8080"},
		"localhost":                             {"localhost"},
		"see localhost:3000 and 10.0.0.7":       {"localhost:3000", "10.0.0.7"},
		"http://[::1]:9000/ or [::1]:9001":      {"[::1]:9000", "[::1]:9001"},
		"http://intranet/page":                  {"intranet"},
		"(a.example) \"b.example\" <c.example>": {"a.example", "b.example", "c.example"},
		"twice a.example a.example.":            {"a.example"},
		"read notes.txt and main.go":            nil,
		"and/or src/main.go":                    nil,
		"mail ana@shop.example":                 nil,
		"http://user:pw@shop.example/":          {"shop.example"},
		"version 1.2.3 at 10:30":                nil,
		"javascript:alert(1) file:///etc/x":     nil,
		"ftp://a.example":                       nil,
		"http://2130706433/":                    nil,
		"bücher.example":                        {"bücher.example"},
		"a.example:99999999":                    nil,
		"https://":                              nil,
	} {
		t.Run(text, func(t *testing.T) {
			if got := typedhosts.Find(text); !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
	typedhosts.Find("a..b .c d. e.f-") // odd words must not crash
	if got := typedhosts.Find(strings.Repeat("x.example ", 3) + strings.Join(many(200), " ")); len(got) != 50 {
		t.Errorf("%d hosts from one message", len(got))
	}
}

func many(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = strings.Repeat("a", i%60+1) + string(rune('a'+i/60)) + ".example"
	}
	return out
}
