package titles

import (
	"strings"
	"testing"
)

func TestClean(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, answer, want string }{
		{"plain", "Lamps for the hall", "Lamps for the hall"},
		{"quotes and a full stop", " “Lamps for the hall.”\n", "Lamps for the hall"},
		{"Markdown", "## **Title: Lamps**", "Lamps"},
		{"two lines", "Lamps\nfor the hall", "Lamps"},
		{"a question", "Which lamp is cheapest?", "Which lamp is cheapest?"},
		{"other scripts", "大厅的灯。", "大厅的灯"},
		{"control and direction characters", "La\x00m\u202eps\x1b[31m\tred", "Lamps[31m red"},
		{"markup stays text", "<img src=x onerror=alert(1)>", "<img src=x onerror=alert(1)>"},
		{"longer than a title", strings.Repeat("lamps ", 12), strings.TrimSpace(strings.Repeat("lamps ", 10)) + "…"},
		{"empty", " \n", ""},
		{"only marks", "“**”", ""},
		{"a paragraph", strings.Repeat("I cannot name this. ", 10), ""},
		{"a list", "Lamps\nHall\nPrices", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := clean(c.answer); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
