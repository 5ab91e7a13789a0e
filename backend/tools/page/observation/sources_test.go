package observation

import (
	"slices"
	"testing"
)

func TestSources(t *testing.T) {
	t.Parallel()
	for address, want := range map[string][]string{
		"https://Shop.Example/a": {"https://shop.example"},
		// A page can have an address that net/url refuses. Its text still has a source.
		"https://shop.example/#%":  {"https://shop.example"},
		"https://shop.example/%zz": {"https://shop.example"},
		"data:text/html,%zz#%":     {"data:"},
		"about:blank":              nil,
		"":                         nil,
	} {
		t.Run(address, func(t *testing.T) {
			t.Parallel()
			if got := Sources(address); !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
