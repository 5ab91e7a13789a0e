package pilot_test

import (
	"strings"
	"testing"

	"sextant/backend/agent/pilot"
)

func TestElementsOfOneNameAreOffered(t *testing.T) {
	t.Parallel()
	p := pilot.New(pilot.Config{Window: shopWindow})
	for _, c := range []struct {
		said   string
		offers int
		first  string
	}{
		{"click add to basket", 8, "click 15"},
		{"add to basket", 8, "click 15"},
		{"click delivery", 2, "click 8"},
	} {
		t.Run(c.said, func(t *testing.T) {
			calls, answer := say(t, p, c.said, callableTools())
			if len(calls) > 0 {
				t.Fatalf("it called %v", calls)
			}
			if len(answer.Offers) != c.offers {
				t.Fatalf("%d offers, want %d: %q", len(answer.Offers), c.offers, answer.Text)
			}
			if c.offers > 0 && (answer.Offers[0].Command != c.first || answer.Offers[0].TargetName == "") {
				t.Errorf("the first offer is %+v", answer.Offers[0])
			}
			if c.offers > 0 && strings.Join(answer.Outside, "") != "http://demo.sextant.test" {
				t.Errorf("names from the page come from %v", answer.Outside)
			}
		})
	}
}
