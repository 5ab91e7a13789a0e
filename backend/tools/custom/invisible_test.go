package custom

import (
	"encoding/json"
	"strings"
	"testing"

	"sextant/shared/toolspec"
)

func TestInvisibleCharactersAreRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	made := func(name, description, parameters, body string) toolspec.Result {
		args, err := json.Marshal(createParams{
			Name: name, Description: description,
			Parameters: json.RawMessage(parameters), Body: body,
		})
		if err != nil {
			t.Fatal(err)
		}
		r, err := b.AuthoringTools().Execute(t.Context(), toolspec.Call{Tool: createName, Args: args},
			toolspec.Definition{},
			nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	const plain = `{"type":"object","properties":{}}`
	for char, code := range map[string]string{
		"\u202e": "U+202E", "\u2066": "U+2066", "\u200b": "U+200B", "\u200d": "U+200D", "\u00ad": "U+00AD",
		"\ufeff": "U+FEFF", "\u2028": "U+2028",
		"\u3164": "U+3164", "\U000e0041": "U+E0041", "\U000e0100": "U+E0100", "\x1b": "U+001B",
	} {
		for part, r := range map[string]toolspec.Result{
			"name":        made("lamp"+char, "Counts lamps", plain, "return 1"),
			"description": made("lamps", "Counts "+char+"lamps", plain, "return 1"),
			"body":        made("lamps", "Counts lamps", plain, "return 1\n// all "+char+"lamps"),
		} {
			if r.Success || r.ErrorType != toolspec.ValidationError ||
				!strings.Contains(r.Error, "the "+part+" contains the invisible character "+code) ||
				!strings.Contains(r.Suggestion, "Nothing was saved") {
				t.Errorf("%s in the %s: %v %s · %s", code, part, r.Success, r.Error, r.Suggestion)
			}
		}
	}
	if r := made("lamps", "Counts lamps",
		`{"type":"object","properties":{"a":{"type":"string","description":"x\u202ey"}}}`, "return 1"); r.Success ||
		!strings.Contains(r.Error, "parameters contains the invisible character U+202E") {
		t.Errorf("an escape in the schema: %+v", r)
	}
	if r := made("lamps", "Counts lamps", plain, "let a = 1\n\n\tlet b = '\u202e'"); !strings.Contains(r.Error,
		"line 3") {
		t.Errorf("the line is not named: %s", r.Error)
	}
	if n := len(b.All()); n != 0 {
		t.Errorf("%d tools were kept", n)
	}
	if r := made("lamps", "Zählt Lampen ❤️, 灯, مصباح", plain, "\treturn '\\u200d'\r\n"); !r.Success {
		t.Errorf("what can be seen is refused: %s", r.Error)
	}
}
