package jsonpos

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestPositions(t *testing.T) {
	text := "{\n  \"a\": [1, {\"ü/~\": \"x\"}],\n\t\"b\" : null }"
	x, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for pointer, want := range map[string]string{
		"": text, "/a": `[1, {"ü/~": "x"}]`, "/a/0": "1", "/a/1": `{"ü/~": "x"}`, "/a/1/ü~1~0": `"x"`, "/b": "null",
	} {
		t.Run(pointer, func(t *testing.T) {
			span := x.Values[pointer]
			if got := text[span.Start:span.End]; got != want {
				t.Errorf("%q: got %s, want %s", pointer, got, want)
			}
		})
	}
	if line, column := x.PositionOf("/a/1/ü~1~0"); line != 2 || column != 20 {
		t.Errorf("the place is %d:%d", line, column)
	}
	if line, column := x.Position(x.Keys["/b"]); line != 3 || column != 2 {
		t.Errorf("the key's place is %d:%d", line, column)
	}
}

func TestSyntaxErrors(t *testing.T) {
	for _, tc := range []struct{ name, text, want, repaired string }{
		{"nothing", "", `1:1: expected a value: "text", a number, true, false, null, [ or {, ` +
			`found the end of the file`, ""},
		{"a trailing comma", "{\"a\": 1,\n}", `1:8: expected no comma before '}', found ","`, `{"a": 1`},
		{"a comment", "// note\n{\"a\":1}", "1:1: expected JSON without comments, found a comment", ""},
		{"a wrong word", "{\"a\": tru}", `1:7: expected a value: "text", a number, true, false, null, [ or {, ` +
			`found "tru"`, `{"a": "tru"}`},
		{"a word of Python", "{\"a\": True}", `1:7: expected a value: "text", a number, true, false, null, [ or {, ` +
			`found "True"`, `{"a": true}`},
		{"more than one value", "[1, 2] x", `1:8: expected the end of the file, found "x"`, `[1, 2]`},
		{"single quotes", "{'a': 1}", `1:2: expected a name in double quotes, found "'a'"`, `{"a": 1}`},
		{"bytes that are not UTF-8", "\"\xff\"", "1:2: expected UTF-8 text, found other bytes", ""},
		{"a missing colon", "{\"a\" 1}", `1:6: expected ":", found "1"`, `{"a": 1}`},
		{"a missing comma", "{\"a\": 1\n \"b\": 2}", `2:2: expected "," or "}", found "\""`, `{"a": 1,`},
		{
			"a line break in a string", "{\"a\": \"x\ny\\d\"}",
			`1:7: expected a string on one line, with \\ for a backslash, ` +
				`found "\""`, `{"a": "x\ny\\d"}`,
		},
		{"a text that ends early", "{\"a\": [1, {\"b\": \"c", `1:19: expected a closing double quote, ` +
			`found the end of the file`, `{"a": [1, {"b": "c"}]}`},
		{
			"too many levels", strings.Repeat("[", 100_000), "1:65: expected at most 64 levels of brackets, found more",
			"",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Parse([]byte(tc.text))
			var fault *Error
			if !errors.As(err, &fault) || fault.Error() != tc.want || fault.RepairedLine != tc.repaired {
				t.Errorf("got %v, repaired %q; want %s, repaired %q", err, fault.RepairedLine, tc.want, tc.repaired)
			}
		})
	}
}

func TestParseLenient(t *testing.T) {
	text := "{ // one\n \"a\": [1, 2,], /* two */ \"b\": \"// no comment\", }"
	x, faults := ParseLenient([]byte(text))
	if x == nil || x.Raw("/b") != `"// no comment"` {
		t.Fatalf("got %v, %v", x, faults)
	}
	var places []string
	for _, fault := range faults {
		places = append(places, fmt.Sprintf("%d:%d", fault.Line, fault.Column))
	}
	if got := strings.Join(places, " "); got != "1:3 2:12 2:16 2:46" {
		t.Errorf("got faults at %s", got)
	}
	many := strings.Repeat("//\n", 100_000) + "{}"
	if _, faults := ParseLenient([]byte(many)); len(faults) != maxFaults {
		t.Errorf("got %d faults", len(faults))
	}
	deep := strings.Repeat("//\n", maxFaults) + strings.Repeat("[", 100_000)
	_, faults = ParseLenient([]byte(deep))
	if last := faults[len(faults)-1]; !strings.Contains(last.Text, "levels of brackets") {
		t.Errorf("deep brackets after many comments: got %q", last.Text)
	}
}

// FuzzParse checks that Parse accepts nothing but JSON, and that every span is JSON by itself.
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
