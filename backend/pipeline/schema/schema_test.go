package schema

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"sextant/shared/toolspec"
)

const scroll = `{"type":"object","required":["direction"],"properties":{
	"direction":{"type":"string","enum":["up","down"],"description":"Where to. More words."},
	"amount":{"type":"number","minimum":1,"default":3},
	"target":{"type":"object","default":{},"properties":{"id":{"type":"integer"},"smooth":{"type":"boolean","default":true}}},
	"steps":{"type":"array","items":{"type":"object","required":["tool"],"additionalProperties":false,
		"properties":{"tool":{"type":"string"},"retries":{"type":"integer","default":0}}}}}}`

func tool(parameters string, examples ...string) toolspec.Definition {
	def := toolspec.Definition{
		Name: "scroll_page", Origin: toolspec.OriginBaseline,
		Parameters: json.RawMessage(parameters),
	}
	for _, e := range examples {
		def.Examples = append(def.Examples, json.RawMessage(e))
	}
	return def
}

func TestDefaultsAreFilledAtEveryDepth(t *testing.T) {
	got, problem := New().Check(tool(scroll),
		[]byte(`{"steps":[{"tool":"a<b"},{"tool":"c","retries":2}],"direction":"up"}`))
	if problem != nil {
		t.Fatal(problem.Error)
	}
	want := `{"amount":3,"direction":"up","steps":[{"retries":0,"tool":"a<b"},{"retries":2,"tool":"c"}],"target":{"smooth":true}}`
	if string(got) != want {
		t.Fatalf("got  %s\nwant %s", got, want)
	}
	again, problem := New().Check(tool(scroll), got)
	if problem != nil || string(again) != want {
		t.Fatalf("the canonical form is not its own: %s", again)
	}
}

func TestDefaultsAreNotSharedBetweenCalls(t *testing.T) {
	c := New()
	first, _ := c.Check(tool(scroll), []byte(`{"direction":"up","target":{"smooth":false}}`))
	second, _ := c.Check(tool(scroll), []byte(`{"direction":"up"}`))
	if !strings.Contains(string(first), `"smooth":false`) || !strings.Contains(string(second), `"smooth":true`) {
		t.Fatalf("%s, then %s", first, second)
	}
}

func TestErrorNamesParameterAndShowsCorrectCall(t *testing.T) {
	deep := `{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"array","items":{"type":"string"}}}}}}`
	for _, c := range []struct{ schema, args, want string }{
		{scroll, `{}`, `"direction" is missing (string): Where to.`},
		{scroll, `{"direction":"left"}`, `"direction" must be one of "up", "down", not "left"`},
		{scroll, `{"direction":"up","amount":"5"}`, `"amount" must be a number, not a string ("5")`},
		{scroll, `{"direction":"up","amount":0}`, `"amount" is wrong: minimum`},
		{scroll, `{"direction":"up","ammount":5}`, `"ammount" is not one of its arguments, the nearest is "amount"`},
		{scroll, `{"direction":"up","zzz":5}`, `it has amount, direction, steps, target`},
		{scroll, `{"direction":"up","steps":[{"tool":"a"},{"tol":"a"}]}`, `"steps[1].tool" is missing`},
		{scroll, `{"direction":"up","steps":[{"tool":"a","retry":1}]}`, `the nearest is "steps[0].retries"`},
		{scroll, `{"direction":"up","target":{"id":1.5}}`, `"target.id" must be a whole number`},
		{scroll, `[]`, `the arguments are an array, not an object`},
		{scroll, `"x"`, `the arguments are a string ("x"), not an object`},
		{scroll, `{"direction":`, `cannot be read: not JSON`},
		{scroll, `{"direction":"up"} {}`, `unexpected data after the JSON value`},
		{deep, `{"a":{"b":["x",7]}}`, `"a.b[1]" must be a string, not a number (7)`},
	} {
		t.Run(c.want, func(t *testing.T) {
			_, problem := New().Check(tool(c.schema), []byte(c.args))
			if problem == nil {
				t.Errorf("%s passed", c.args)
				return
			}
			if problem.ErrorType != toolspec.ValidationError || !strings.Contains(problem.Error, c.want) {
				t.Errorf("%s:\n got  %s\n want %s", c.args, problem.Error, c.want)
			}
			if !strings.Contains(problem.Error, "For example scroll_page({") {
				t.Errorf("%s: no example in %q", c.args, problem.Error)
			}
			start := strings.Index(problem.Error, "scroll_page(") + len("scroll_page(")
			shown := problem.Error[start : len(problem.Error)-1]
			if _, wrong := New().Check(tool(c.schema), []byte(shown)); wrong != nil {
				t.Errorf("the example %s is wrong itself: %s", shown, wrong.Error)
			}
		})
	}
}

func TestErrorUsesExampleOfDefinition(t *testing.T) {
	def := tool(`{"type":"object","required":["a"],"properties":{"a":{"type":"string"},"b":{"type":"string"}}}`,
		`{"a":5}`, `{"b":"no a"}`, `{"a":"right"}`)
	_, problem := New().Check(def, []byte(`{}`))
	if !strings.HasSuffix(problem.Error, `For example scroll_page({"a":"right"})`) {
		t.Fatal(problem.Error)
	}
}

func TestArgumentTypesAreNotConverted(t *testing.T) {
	def := tool(`{"type":"object","properties":{"n":{"type":"number"},"b":{"type":"boolean"},"s":{"type":"string"}}}`)
	for _, args := range []string{`{"n":"5"}`, `{"b":"true"}`, `{"b":1}`, `{"s":5}`, `{"n":null}`} {
		t.Run(args, func(t *testing.T) {
			if got, problem := New().Check(def, []byte(args)); problem == nil {
				t.Errorf("%s became %s", args, got)
			}
		})
	}
	if got, problem := New().Check(def, []byte(`{"n":12345678901234567890.50}`)); problem != nil ||
		string(got) != `{"n":12345678901234567890.50}` {
		t.Errorf("got %s", got)
	}
}

func TestUnknownArgumentsOfMCPToolsAreAllowed(t *testing.T) {
	def := tool(`{"type":"object","properties":{"a":{"type":"string"}}}`)
	def.Origin = toolspec.OriginMCP
	if _, problem := New().Check(def, []byte(`{"more":1}`)); problem != nil {
		t.Fatal(problem.Error)
	}
}

func TestMissingArgumentsBecomeEmptyObject(t *testing.T) {
	for _, args := range []string{"", "  ", "null", "{}"} {
		t.Run(fmt.Sprintf("%q", args), func(t *testing.T) {
			if got, problem := New().Check(tool(""), []byte(args)); problem != nil || string(got) != "{}" {
				t.Errorf("%q: %s, %v", args, got, problem)
			}
		})
	}
}

func TestHostileArgumentsAreRefused(t *testing.T) {
	for name, args := range map[string]string{
		"large":      `{"direction":"` + strings.Repeat("x", MaxArgsBytes) + `"}`,
		"deep":       strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000),
		"huge":       `{"direction":"up","amount":1e999999999}`,
		"tiny":       `{"direction":"up","amount":1e-999999999}`,
		"long":       `{"direction":"up","amount":` + strings.Repeat("9", 5000) + `}`,
		"not quite":  "{\"direction\":\"\x01\"}",
		"exponent 0": `{"direction":"up","amount":1e99999999999999999999}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, problem := New().Check(tool(scroll), []byte(args))
			if problem == nil || problem.ErrorType != toolspec.ValidationError {
				t.Errorf("%s: %+v", name, problem)
				return
			}
			if len(problem.Error) > 2000 {
				t.Errorf("%s: the error is %d bytes", name, len(problem.Error))
			}
		})
	}
}

func TestHostileSchemaIsErrorOfTool(t *testing.T) {
	for name, parameters := range map[string]string{
		"file":      `{"$ref":"file:///etc/passwd"}`,
		"remote":    `{"type":"object","properties":{"a":{"$ref":"https://evil.example/s.json"}}}`,
		"not JSON":  `{`,
		"a list":    `[]`,
		"bad type":  `{"type":"strange"}`,
		"bad regex": `{"type":"object","properties":{"a":{"pattern":"("}}}`,
		"number":    `{"type":"object","properties":{"a":{"multipleOf":1e-999999999}}}`,
		"large":     `{"description":"` + strings.Repeat("x", maxSchemaBytes) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, problem := New().Check(tool(parameters), []byte(`{}`))
			if problem == nil || problem.ErrorType != toolspec.SystemError {
				t.Errorf("%s: %+v", name, problem)
			}
			if New().CheckSchema(json.RawMessage(parameters)) == nil {
				t.Errorf("%s: no problem reported", name)
			}
		})
	}
}

func TestRecursiveSchemaTerminates(t *testing.T) {
	tree := `{"type":"object","$ref":"#/$defs/node","$defs":{"node":{"type":"object","required":["v"],"properties":{
		"v":{"type":"integer"},"size":{"type":"integer","default":1},"next":{"$ref":"#/$defs/node"}}}}}`
	got, problem := New().Check(tool(tree), []byte(`{"v":1,"next":{"v":2}}`))
	if problem != nil || string(got) != `{"next":{"size":1,"v":2},"size":1,"v":1}` {
		t.Fatalf("%s %v", got, problem)
	}
	if _, problem := New().Check(tool(tree), []byte(`{"v":1,"next":{}}`)); problem == nil ||
		!strings.Contains(problem.Error, `"next.v" is missing`) {
		t.Fatalf("%+v", problem)
	}
	grows := `{"type":"object","properties":{"a":{"$ref":"#","default":{}}}}`
	if _, problem := New().Check(tool(grows), []byte(`{}`)); problem == nil ||
		problem.ErrorType != toolspec.SystemError {
		t.Fatalf("a default that holds itself: %+v", problem)
	}
}

func TestCheckerConcurrentUse(t *testing.T) {
	c := New()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				if _, problem := c.Check(tool(scroll), []byte(`{"direction":"up"}`)); problem != nil {
					t.Error(problem.Error)
				}
			}
		})
	}
	wg.Wait()
}

func FuzzCheckAcceptsOrExplains(f *testing.F) {
	for _, s := range []string{
		`{}`, `{"direction":"up"}`, `{"direction":1}`, `[`, `{"steps":[{"tool":1}]}`, `{"steps":[{}],"x":{"y":[1e5]}}`,
		`null`,
		`{"direction":"up","amount":1e400}`, "{\"direction\":\"\xff\"}", `{"":{}}`,
	} {
		f.Add([]byte(s))
	}
	c := New()
	f.Fuzz(func(t *testing.T, args []byte) {
		got, problem := c.Check(tool(scroll), args)
		if problem != nil {
			if problem.Success || problem.Error == "" || problem.ErrorType != toolspec.ValidationError {
				t.Fatalf("%q: %+v", args, problem)
			}
			return
		}
		again, problem := c.Check(tool(scroll), got)
		if problem != nil || string(again) != string(got) {
			t.Fatalf("%q is %s and then %s, %v", args, got, again, problem)
		}
	})
}
