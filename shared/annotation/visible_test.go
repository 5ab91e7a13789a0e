package annotation

import (
	"strings"
	"testing"
)

// The same cases are in frontend/src/domain/panels/pagehost.test.ts.
func TestVisible(t *testing.T) {
	hidden := strings.Split("\u00ad\u034f\u115f\u1160\u17b4\u180b\u180e\u200b\u200d\u202e\u2060\u2800\u3164\ufe00\ufe0f\ufeff\uffa0\ue000\u0378\U000e0041\U000e0100\U000f0000", "")
	if got, want := StripInvisible("a"+strings.Join(hidden, "b")+"c"), "a"+strings.Repeat("b", len(hidden)-1)+
		"c"; got != want {
		t.Errorf("%q", got)
	}
	if got := StripInvisible("one\u2028two\r\nthree\tfour\a"); got != "one\ntwo\nthree\tfour" {
		t.Errorf("%q", got)
	}
	if text := "Grüße, 漢字 👋 e\u0301"; StripInvisible(text) != text {
		t.Errorf("%q", StripInvisible(text))
	}
}
