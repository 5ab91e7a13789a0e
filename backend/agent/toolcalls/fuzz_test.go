package toolcalls

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzParse: no answer calls an unknown tool, arguments are objects, text is UTF-8, and it does not matter
// where the stream was split.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"Hi <tool_call>{\"name\":\"read_file\",\"arguments\":{\"path\":\"a\"}}</tool_call> there",
		"```tool\nreturn read_file('a');\n```\nok",
		"<tool_call><function=read_file><parameter=path>a</parameter></function></tool_call>", "```\n<tool_call>\n```",
		"<think>x</think>é<tool_call",
	} {
		f.Add(s, 3)
	}
	tools := NewToolset(some())
	f.Fuzz(func(t *testing.T, answer string, cut int) {
		whole := parse(true, answer)
		if len(answer) > 0 {
			cut = max(cut, -cut, 0) % len(answer)
			if again := parse(true, answer[:cut], answer[cut:]); again.String() != whole.String() &&
				utf8.ValidString(answer) {
				t.Errorf("cut at %d:\n%s\nwhole:\n%s", cut, again, whole)
			}
		}
		for _, c := range whole.calls {
			if tools.byName[c.Name] == nil || !json.Valid(c.Args) || c.Args[0] != '{' {
				t.Errorf("call %s %s", c.Name, c.Args)
			}
		}
		for _, b := range whole.broken {
			if !strings.Contains(b.Problem, "line ") || b.Line < 1 || b.Column < 1 || !utf8.ValidString(b.Problem) {
				t.Errorf("broken %+v", b)
			}
		}
		if !utf8.ValidString(whole.text) || len(whole.text) > 3*len(answer) {
			t.Errorf("text of %d bytes from %d", len(whole.text), len(answer))
		}
	})
}

// FuzzLiteral: what is read is valid JSON, and JSON is read unchanged.
func FuzzLiteral(f *testing.F) {
	for _, s := range []string{
		`{"a":[1,"b\u00e9",null,true]}`, `{a: 'b', /* c */ d: .5,}`, "`x\ny`", `“a”`,
		`"\ud83d\ude00"`, `0x1f`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := &reader{src: []byte(text), out: &bytes.Buffer{}}
		problem := r.value()
		if problem == nil && !json.Valid(r.out.Bytes()) {
			t.Errorf("%q gives %s", text, r.out)
		}
		if problem != nil && (problem.at < 0 || problem.at > len(text)) {
			t.Errorf("%q: place %d", text, problem.at)
		}
		var want any
		if json.Unmarshal([]byte(text), &want) != nil || !utf8.ValidString(text) ||
			strings.Count(text, "[")+strings.Count(text, "{") >= maxDepth {
			return
		}
		// Go accepts half a surrogate pair and a duplicate key; here both are errors.
		if problem == nil && !same(json.RawMessage(text), r.out.Bytes()) {
			t.Errorf("%q is read as %s", text, r.out)
		}
	})
}

// FuzzSchema: every schema gives a signature of few lines, the same each time.
func FuzzSchema(f *testing.F) {
	f.Add(
		`{"type":"object","properties":{"a":{"enum":["x",1,null]},"b":{"anyOf":[{"type":"string"},{"$ref":"#/$defs/c"}]}},"$defs":{"c":{"type":"array","items":{"$ref":"#/$defs/c"}}}}`,
	)
	f.Add(
		`{"properties":{"a":{"properties":{"b":{"type":["string","null"],"description":"x */ y"}}}},"required":["a"]}`,
	)
	f.Fuzz(func(t *testing.T, schema string) {
		d := definition("x", schema)
		first, again := (&tool{def: d}).declare(), (&tool{def: d}).declare()
		if first != again || strings.Count(first, "*/") < 1 {
			t.Errorf("%s\n%s", first, again)
		}
		if e := (&tool{def: d}).example(); !json.Valid(e) && json.Valid([]byte(schema)) {
			t.Errorf("example %s", e)
		}
	})
}
