package browser_test

import (
	"strings"
	"testing"

	"sextant/backend/browser"
	"sextant/backend/surface"
)

func TestTypeReportsDifferingValue(t *testing.T) {
	ctx, s := session(t)
	page := openPage(t, ctx, s, hardPages(t)+"/typing")
	for _, c := range []struct{ name, text, value, note string }{
		{"Keys only", "abc", "abc", ""},
		{"Mask", "12345678", "(123) 45678", `now holds "(123) 45678"`},
		{"Short", "abcdef", "abcd", `now holds "abcd"`},
		{"Number", "12.5", "12.5", ""},
		{"Volume", "9", "10 (0–10)", `now holds "10"`},
		{"Day", "2031-12-24", "2031-12-24", ""},
		{"Tint", "#1e90ff", "#1e90ff", ""},
		{"Rich", "one\ntwo", "one two", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			ans, err := s.Type(ctx, surface.TypeOptions{ID: idOf(t, page, c.name), Text: c.text, Clear: true})
			if err != nil {
				t.Error(err)
				return
			}
			found := false
			for _, e := range ans.Elements {
				if e.Name == c.name {
					found = true
					if e.Value != c.value {
						t.Errorf("the value is %q, want %q", e.Value, c.value)
					}
				}
			}
			if !found || (c.note == "") != (ans.Note == "") || !strings.Contains(ans.Note, c.note) {
				t.Errorf("the answer is %+v", ans)
			}
		})
	}
	if got := result(t, ctx, s, "result"); got != "tint input change #1e90ff" {
		t.Errorf("the page says %q", got)
	}
}

func TestTypeIntoFieldThatRejectsText(t *testing.T) {
	ctx, s := session(t)
	page := openPage(t, ctx, s, hardPages(t)+"/typing")
	for name, text := range map[string]string{
		"Stubborn": "mine", "Number": "words", "Volume": "loud",
		"Day": "tomorrow",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := s.Type(ctx, surface.TypeOptions{ID: idOf(t, page, name), Text: text, Clear: true})
			if f := expectFault(t, err, surface.FaultBlocked); !strings.Contains(f.Message, name) {
				t.Errorf("the fault says %q", f.Message)
			}
		})
	}
	// What makes something else of the text has taken it.
	ans, err := s.Type(ctx, surface.TypeOptions{ID: idOf(t, page, "Tags"), Text: "red,", Clear: true})
	if err != nil {
		t.Fatal(err)
	}
	if html, _, _, err := s.HTML(ctx); err != nil || strings.Count(html, "<b>red</b>") != 1 {
		t.Errorf("the tag was made %d times (%+v), %v", strings.Count(html, "<b>red</b>"), ans, err)
	}
}

func TestTypeIntoRichTextEditor(t *testing.T) {
	ctx, s := session(t)
	page := openPage(t, ctx, s, hardPages(t)+"/typing")
	id := idOf(t, page, "Model")
	if _, err := s.Type(ctx, surface.TypeOptions{ID: id, Text: "first\nsecond", Clear: true}); err != nil {
		t.Fatal(err)
	}
	if got := result(t, ctx, s, "result"); got != "model first|second" {
		t.Errorf("the page says %q", got)
	}
	if _, err := s.Type(ctx, surface.TypeOptions{ID: id, Text: "k!", Human: true}); err != nil {
		t.Fatal(err)
	}
	if got := result(t, ctx, s, "result"); got != "model first|secondk!" {
		t.Errorf("the page says %q", got)
	}
}

func TestScrollFallsBackToWheel(t *testing.T) {
	ctx, s := session(t)
	page := openPage(t, ctx, s, hardPages(t)+"/typing")
	ans, err := s.Scroll(ctx, surface.ScrollOptions{Direction: "down", Target: idOf(t, page, "Wheel")})
	if err != nil || !strings.HasPrefix(ans.Outcome, "turned the mouse wheel down over [") {
		t.Errorf("the outcome is %q, %v", ans.Outcome, err)
	}
	if got := result(t, ctx, s, "wheel"); got != "turned 1" {
		t.Errorf("the page says %q", got)
	}
}

// Human typing has a pause after each key, and not always the same one.
func TestHumanTypingHasUnevenPauses(t *testing.T) {
	ctx, s := session(t)
	page := openPage(t, ctx, s, site(t, map[string]any{"/": `<title>0</title><input aria-label=F><script>
var at = []; addEventListener('keydown', (e) => at.push(e.timeStamp))</script>`}))
	if _, err := s.Type(ctx, surface.TypeOptions{ID: idOf(t, page, "F"), Text: "sextant", Human: true}); err != nil {
		t.Fatal(err)
	}
	const script = "const gaps = at.slice(1).map((t, i) => t - at[i]);" +
		"[Math.min(...gaps) > 20, new Set(gaps).size > 2]"
	_, got, err := s.Evaluate(ctx, browser.EvaluateOptions{Script: script})
	if err != nil || got.Text != "[true,true]" {
		t.Errorf("got %+v, %v", got, err)
	}
}
