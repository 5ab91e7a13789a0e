package nearest

import (
	"slices"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	known := []string{"click_element", "open_browser_panel", "read_file", "write_file", "navigate_page", "press_key"}
	for name, want := range map[string]string{
		"clickElement": "click_element", "openBrowserPanel": "open_browser_panel", "raed_file": "read_file",
		"navigate": "navigate_page", "click": "click_element", "READ_FILE": "read_file",
	} {
		t.Run(name, func(t *testing.T) {
			if got := Names(name, known, 3); len(got) == 0 || got[0] != want {
				t.Errorf("%s: got %v, want %s", name, got, want)
			}
		})
	}
	for _, name := range []string{"", "zzzzzzz", "__", strings.Repeat("read_file", 1000)} {
		t.Run("unknown "+name[:min(len(name), 9)], func(t *testing.T) {
			if got := Names(name, known, 3); len(got) != 0 {
				t.Errorf("%.20s: got %v", name, got)
			}
		})
	}
	if got := Names("file", known, 1); !slices.Equal(got, []string{"read_file"}) {
		t.Errorf("got %v", got)
	}
}
