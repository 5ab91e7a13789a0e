package loose

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestFaultsAreMendedAsTheirAuthorMeant(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a comma at the end", `{"a": 1,}`, `{"a": 1}`},
		{"a comma at the end of a list", "[1, 2,\n]", "[1, 2\n]"},
		{"two commas", `{"a": 1,, "b": 2}`, `{"a": 1, "b": 2}`},
		{"a comma at the beginning", `[, 1]`, `[ 1]`},
		{"a missing comma", "{\"a\": 1\n \"b\": 2}", "{\"a\": 1,\n \"b\": 2}"},
		{"a missing comma on one line", `{"a": "x" "b": 2}`, `{"a": "x", "b": 2}`},
		{"a missing comma between items", `["a" "b"]`, `["a", "b"]`},
		{"a missing colon", `{"a" 1}`, `{"a": 1}`},
		{"an equals sign", `{"a" = 1, "b" => 2}`, `{"a" : 1, "b" : 2}`},
		{"semicolons", `{"a": 1; "b": 2;}`, `{"a": 1, "b": 2}`},
		{"bare names", `{a: 1, b-c: 2}`, `{"a": 1, "b-c": 2}`},
		{"single quotes", `{'a': 'it\'s "so"'}`, `{"a": "it's \"so\""}`},
		{"typographic quotes", `{“a”: “b”}`, `{"a": "b"}`},
		{"comments", "{\"a\": 1 // one\n, /* two */ \"b\": 2 # three\n}", "{\"a\": 1 \n,  \"b\": 2 \n}"},
		{"words of Python", `{"a": True, "b": None, "c": False}`, `{"a": true, "b": null, "c": false}`},
		{"words of JavaScript", `{"a": undefined, "b": NaN, "c": -Infinity}`, `{"a": null, "b": null, "c": null}`},
		{"numbers of other languages", `[0x1F, 1_000, +5, .5, 5., 007]`, `[31, 1000, 5, 0.5, 5, 7]`},
		{"bare text", `{"a": POST /api/x, "b": 30s}`, `{"a": "POST /api/x", "b": "30s"}`},
		{"a missing closing quote", "{\"a\": \"x,\n \"b\": 1}", "{\"a\": \"x\",\n \"b\": 1}"},
		{"a missing closing quote at the end", "{\"a\": \"x\n}", "{\"a\": \"x\"\n}"},
		{"a missing closing quote of a name", "{\"a: 1,\n \"b\": 2}", "{\"a\": 1,\n \"b\": 2}"},
		{"a line break in a string", "{\"a\": \"x\ny\"}", `{"a": "x\ny"}`},
		{"a tab in a string", "{\"a\": \"x\ty\"}", `{"a": "x\ty"}`},
		{"a backslash", `{"a": "C:\dir \d"}`, `{"a": "C:\\dir \\d"}`},
		{"a quote in a string", `{"a": "say "hello" to all", "b": 1}`, `{"a": "say \"hello\" to all", "b": 1}`},
		{"strings joined", `{"a": "x" + "y"}`, `{"a": "xy"}`},
		{"a file cut off", `{"a": [1, {"b": "c`, `{"a": [1, {"b": "c"}]}`},
		{"a file cut off after a colon", `{"a":`, `{"a":null}`},
		{"a missing bracket", `{"a": [1, 2}`, `{"a": [1, 2]}`},
		{"a missing brace in a list", `{"a": [{"b": 1], "c": 2}`, `{"a": [{"b": 1}], "c": 2}`},
		{"a bracket for a brace", `{"a": 1]`, `{"a": 1}`},
		{"a brace too many", `{"a": 1}}`, `{"a": 1}`},
		{"a brace too early", `{"a": 1}, "b": 2}`, `{"a": 1, "b": 2}`},
		{"a missing opening brace", `"a": 1, "b": 2}`, `{"a": 1, "b": 2}`},
		{"a byte order mark", "\ufeff{}", "{}"},
		{"a fence", "```json\n{\"a\": 1}\n```\n", "\n{\"a\": 1}\n\n"},
		{"talk around it", "Here is the manifest:\n\n{\"a\": 1}\n\nHope this helps!", "{\"a\": 1}\n\n"},
		{"JavaScript around it", `export default {"a": 1};`, `{"a": 1}`},
		{"an ellipsis", `{"a": [1, ...], ...}`, `{"a": [1 ] }`},
		{"a space that is none", "{\"a\":\u00a01}", `{"a": 1}`},
		{"two values", `{} {}`, `{} `},
		{"a list with names", `["a": 1]`, `["a", 1]`},
		{"a value without a name", `{"a": 1, {"b": 2}, "c": 3}`, `{"a": 1,  "c": 3}`},
		{"a name alone", `{"a", "b": 1}`, `{"a":null, "b": 1}`},
		{"another encoding", "{\"a\": \"caf\xe9\"}", `{"a": "café"}`},
		{"UTF-16", "\xff\xfe{\x00}\x00", "{}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := Parse([]byte(c.text))
			if len(d.Faults) == 0 {
				t.Error("has no fault")
			}
			for _, f := range d.Faults {
				if f.Expected == "" || f.Found == "" {
					t.Errorf("got %+v", f)
				}
			}
			if got := string(d.Mended()); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestWhatIsNoJSONAtAllHasAFaultAndNoTree(t *testing.T) {
	for _, text := range []string{"", "  \n", "panel_id: notes\ntitle: Notes", "}", strings.Repeat("[", 100), "[" + strings.Repeat("1,", maxValues) + "1]", strings.Repeat("'", 5000), "%PDF-1.4"} {
		d := Parse([]byte(text))
		if len(d.Faults) == 0 || d.Root != nil && d.Root.Kind == Object {
			t.Errorf("%.40q: got %+v", text, d)
		}
	}
}

func TestAFaultHasItsPlace(t *testing.T) {
	d := Parse([]byte("{\n  \"ü\": 'x',\n  \"b\": 1,\n}"))
	var places [][2]int
	for _, f := range d.Faults {
		line, column := d.Position(f.Offset)
		places = append(places, [2]int{line, column})
	}
	if want := [][2]int{{2, 8}, {3, 9}}; !reflect.DeepEqual(places, want) {
		t.Errorf("got %v, want %v", places, want)
	}
}

// FuzzParse holds the two promises of the package.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		`{"a":[1,2,{"b":null}]}`, `{"a": 1,}`, `{a: 'x', b = .5}`, "{\"a\": \"x,\n\"b\": 1]", `"a": 1, [2}`, "```json\n{\"a\"\n```", `["a": 1, {"b"], ...}`,
		`{"a": "x" + "y", /* z`, "{\"a\": \"\\ud800\\q\n\"}", `{"a":1,"a":[2}}, "b"`, `{{}{}`, `{"a": {"b" 1 ] , : }`, `[“a”‘b’]`, `{"a": -}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 4096 {
			return
		}
		d := Parse(text)
		if json.Valid(text) && d.Root != nil && len(d.Faults) > 0 && !strings.Contains(d.Faults[0].Expected, "UTF-8") {
			t.Fatalf("%q is JSON and has the fault %+v", text, d.Faults[0])
		}
		if d.Root == nil {
			if len(d.Faults) == 0 {
				t.Fatalf("%q has neither tree nor fault", text)
			}
			return
		}
		var want, got any
		if err := decode(d.Mended(), &want); err != nil {
			t.Fatalf("%q mended is %q: %s", text, d.Mended(), err)
		}
		if err := decode([]byte(d.Root.JSON()), &got); err != nil {
			t.Fatalf("%q as tree is %q: %s", text, d.Root.JSON(), err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: the tree says %s, the mended text %s", text, d.Root.JSON(), d.Mended())
		}
	})
}

// decode reads the whole of text and keeps numbers as they are written.
func decode(text []byte, into any) error {
	if !json.Valid(text) {
		return errors.New("not JSON")
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	return dec.Decode(into)
}
