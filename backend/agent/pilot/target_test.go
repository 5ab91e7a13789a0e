package pilot_test

import (
	"strings"
	"testing"

	"sextant/backend/agent/pilot"
	"sextant/shared/toolspec"
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

func TestOfferKeepsTheOtherName(t *testing.T) {
	t.Parallel()
	p := pilot.New(pilot.Config{Window: shopWindow})
	tools := append(callableTools(), toolspec.Function{})
	tools[len(tools)-1].Function.Name = "drag_element"
	calls, answer := say(t, p, `drag journal to "add to basket"`, tools)
	if len(calls) > 0 || len(answer.Offers) != 8 || answer.Offers[0].Command != `drag "journal" to 15` {
		t.Errorf("calls %v, offers %+v", calls, answer.Offers)
	}
}

func TestRemovedFileIsQuoted(t *testing.T) {
	t.Parallel()
	p := pilot.New(pilot.Config{Window: shopWindow})
	for said, want := range map[string]string{
		"delete notes.txt":          `{"command":"rm notes.txt"}`,
		`delete "my notes.txt"`:     `{"command":"rm 'my notes.txt'"}`,
		`delete "a.txt; rm -rf ~"`:  `{"command":"rm 'a.txt; rm -rf ~'"}`,
		`delete "-rf.txt"`:          `{"command":"rm -- -rf.txt"}`,
		`delete "$(touch made).sh"`: `{"command":"rm '$(touch made).sh'"}`,
	} {
		t.Run(said, func(t *testing.T) {
			calls, _ := say(t, p, said, callableTools())
			if len(calls) != 1 || string(calls[0].Args) != want {
				t.Errorf("got %s, want %s", calls, want)
			}
		})
	}
}
