package keys

import "testing"

func TestChords(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]struct{ enters, pastes, copies bool }{
		"a": {enters: true}, "+": {enters: true}, "Shift+A": {enters: true}, "Enter": {}, "ArrowDown": {},
		"Control+a": {},
		"Control+v": {enters: true, pastes: true}, "Meta+Shift+V": {enters: true, pastes: true},
		"Shift+Insert": {enters: true, pastes: true}, "Control+c": {copies: true}, "Control+x": {copies: true},
		"Shift+Delete": {copies: true},
	} {
		t.Run(key, func(t *testing.T) {
			if EntersText(key) != want.enters || IsPaste(key) != want.pastes || IsCopy(key) != want.copies {
				t.Errorf("enters %v, pastes %v, copies %v", EntersText(key), IsPaste(key), IsCopy(key))
			}
		})
	}
}
