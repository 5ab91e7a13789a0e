package jsonpos

import (
	"encoding/json"
	"errors"
	"testing"
)

func TestEveryValueAndKeyIsFound(t *testing.T) {
	text := "{\n  \"a\": [1, {\"ü/~\": \"x\"}],\n\t\"b\" : null }"
	x, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for pointer, want := range map[string]string{
		"": text, "/a": `[1, {"ü/~": "x"}]`, "/a/0": "1", "/a/1": `{"ü/~": "x"}`, "/a/1/ü~1~0": `"x"`, "/b": "null",
	} {
		span := x.Values[pointer]
		if got := text[span.Start:span.End]; got != want {
			t.Errorf("%q: got %s, want %s", pointer, got, want)
		}
	}
	if line, column := x.At("/a/1/ü~1~0"); line != 2 || column != 20 {
		t.Errorf("the place is %d:%d", line, column)
	}
	if line, column := x.Position(x.Keys["/b"]); line != 3 || column != 2 {
		t.Errorf("the key's place is %d:%d", line, column)
	}
}

func TestFaultsHaveTheirPlace(t *testing.T) {
	for text, want := range map[string]string{
		"":                   "1:1: the text ends in the middle",
		"{\"a\": 1,\n}":      "2:1: invalid character '}' looking for beginning of object key string",
		"{\"a\": tru}":       "1:10: invalid character '}' in literal true (expecting 'e')",
		"[1, 2] x":           "1:8: there is text after the end of the JSON value",
		"{'a': 1}":           `1:2: invalid character '\'' looking for beginning of object key string`,
		"\"\xff\"":           "1:1: the text is not UTF-8",
		"{\"a\" 1}":          "1:6: invalid character '1' after object key",
		"// note\n{\"a\":1}": "1:1: invalid character '/' looking for beginning of value",
	} {
		_, err := Parse([]byte(text))
		var fault *Error
		if !errors.As(err, &fault) || fault.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

// FuzzParse holds that Parse accepts what encoding/json accepts, and that every span it
// reports is a JSON text of its own.
func FuzzParse(f *testing.F) {
	for _, text := range []string{`{"a":[1,2,{"b":null}]}`, ` [ ] `, `{"a":1,"a":2}`, `"x"`, `{"":{"":0}}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		x, err := Parse([]byte(text))
		if err != nil {
			return
		}
		if !json.Valid([]byte(text)) {
			t.Fatalf("accepted %q", text)
		}
		for pointer, span := range x.Values {
			if !json.Valid([]byte(text[span.Start:span.End])) {
				t.Fatalf("%q: %s is %q", text, pointer, text[span.Start:span.End])
			}
		}
	})
}
