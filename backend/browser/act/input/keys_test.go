package input

import "testing"

func TestParseKeys(t *testing.T) {
	t.Parallel()
	cases := []struct {
		combo, key, code, text string
		modifiers              int
	}{
		{"Enter", "Enter", "Enter", "\r", 0},
		{"esc", "Escape", "Escape", "", 0},
		{"a", "a", "KeyA", "a", 0},
		{"A", "A", "KeyA", "A", 0},
		{"Control+a", "a", "KeyA", "", ModControl},
		{"Shift+a", "A", "KeyA", "A", ModShift},
		{"Ctrl+Shift+ArrowLeft", "ArrowLeft", "ArrowLeft", "", ModControl | ModShift},
		{"Down", "ArrowDown", "ArrowDown", "", 0},
		{"F5", "F5", "F5", "", 0},
		{"Control++", "+", "NumpadAdd", "", ModControl},
		{"+", "+", "NumpadAdd", "+", 0},
		{"Space", " ", "Space", " ", 0},
		{"ä", "ä", "", "ä", 0},
		{"Tab", "Tab", "Tab", "", 0},
	}
	for _, c := range cases {
		t.Run(c.combo, func(t *testing.T) {
			s, err := parse(c.combo)
			if err != nil {
				t.Error(err)
				return
			}
			if s.info.Key != c.key || s.info.Code != c.code || s.text != c.text || s.modifiers != c.modifiers {
				t.Errorf("got key %q, code %q, text %q, modifiers %d", s.info.Key, s.info.Code, s.text,
					s.modifiers)
			}
		})
	}
}

func TestParseRefusesUnknownKeys(t *testing.T) {
	t.Parallel()
	for _, combo := range []string{"", "Entre", "Hyper+a", "Control+", "hello"} {
		t.Run(combo, func(t *testing.T) {
			if _, err := parse(combo); err == nil {
				t.Error("parsed without an error")
			}
		})
	}
}
