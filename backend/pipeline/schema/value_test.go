package schema

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestCheckValueLocatesProblems(t *testing.T) {
	const lamps = `{"type":"array","minItems":1,"items":{"type":"object","required":["name","price"],"additionalProperties":false,
		"properties":{"name":{"type":"string"},"price":{"type":"number"},"colour":{"enum":["red","blue"]}}}}`
	for value, want := range map[string]string{
		`[{"name":"Fen","price":72}]`:                     "",
		`[{"name":"Fen","price":"72"}]`:                   `"value[0].price" must be a number, not a string ("72")`,
		`[{"name":"Fen","price":1},{"name":"Ro"}]`:        `"value[1].price" is missing`,
		`[{"name":"F","price":1,"colour":"green"}]`:       `"value[0].colour" must be one of "red", "blue"`,
		`[{"name":"F","price":1,"prise":2}]`:              `"value[0].prise" is not one of its properties, the nearest is "value[0].price"`,
		`{"name":"Fen","price":72}`:                       `the value must be an array, not an object`,
		`[{"name":"Fen","price":72}`:                      `not JSON`,
		`[{"name":"Fen","price":1e999999}]`:               `too large`,
		strings.Repeat("[", 70) + strings.Repeat("]", 70): `nested more than`,
	} {
		t.Run(value[:min(len(value), 45)], func(t *testing.T) {
			problems, err := New().CheckValue(json.RawMessage(lamps), json.RawMessage(value))
			if err != nil {
				t.Fatalf("%s: %v", value, err)
			}
			if said := strings.Join(problems, "; "); want == "" && said != "" || !strings.Contains(said, want) {
				t.Errorf("%s: %q, want %q", value, said, want)
			}
		})
	}
}

// doubled returns a schema of n short definitions, each of which applies the next one twice.
func doubled(n int, under string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"d%d":{%s:[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, under, i+1, i+1)
	}
	return fmt.Sprintf(`{"$ref":"#/$defs/d0","$defs":{%s"d%d":{"type":"object"}}}`, b.String(), n)
}

func TestCheckFormatRefusesHostileSchemas(t *testing.T) {
	for name, c := range map[string]struct{ format, want string }{
		"file reference": {`{"$ref":"file:///etc/passwd"}`, "outside of the schema"},
		"URL reference": {
			`{"properties":{"a":{"$ref":"http://127.0.0.1:1/schema.json"}}}`,
			"outside of the schema",
		},
		"meta-schema URL":         {`{"$schema":"http://127.0.0.1:1/draft","type":"object"}`, "outside of the schema"},
		"self-reference":          {`{"$ref":"#"}`, "refers to itself"},
		"indirect self-reference": {`{"properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"anyOf":[{"$ref":"#/$defs/y"}]},"y":{"not":{"$ref":"#/$defs/x"}}}}`, "refers to itself"},
		"branching":               {doubled(40, `"allOf"`), "branches too much"},
		"choices":                 {doubled(40, `"anyOf"`), "branches too much"},
		"huge":                    {`{"description":"` + strings.Repeat("x", maxSchemaBytes) + `"}`, "bytes"},
		"deep":                    {strings.Repeat(`{"not":`, 90) + `{}` + strings.Repeat(`}`, 90), "nested more than"},
		"not an object":           {`["string"]`, "not an object"},
		"invalid schema":          {`{"type":"strin"}`, "reading the schema"},
		"costly pattern":          {`{"type":"string","pattern":"(a{500}){500}"}`, "reading the schema"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New().CheckValue(json.RawMessage(c.format), json.RawMessage(`{"a":{}}`))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %q", name, err, c.want)
			}
			if err := New().CheckFormat(json.RawMessage(c.format)); err == nil ||
				!strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: CheckFormat returned %v", name, err)
			}
		})
	}
}

func TestCheckValueWithRecursiveSchema(t *testing.T) {
	const tree = `{"type":"object","required":["v"],"properties":{"v":{"type":"integer"},"kids":{"type":"array","items":{"$ref":"#"}}}}`
	problems, err := New().CheckValue(json.RawMessage(tree),
		json.RawMessage(`{"v":1,"kids":[{"v":2,"kids":[{"v":3}]},{"v":"4"}]}`))
	if err != nil || len(problems) != 1 || !strings.Contains(problems[0], `"kids[1].v"`) {
		t.Errorf("%v %v", problems, err)
	}
}

func TestCheckFormatRefusesCostlySchemas(t *testing.T) {
	const twice = `{"anyOf":[{"properties":{"a":{"$ref":"#"}}},{"properties":{"a":{"$ref":"#"}}},{"type":"null"}]}`
	deep := strings.Repeat(`{"a":`, 50) + `1` + strings.Repeat(`}`, 50)
	if err := New().CheckFormat(json.RawMessage(twice)); err != nil {
		t.Fatal(err)
	}
	if _, err := New().CheckValue(json.RawMessage(twice), json.RawMessage(deep)); err == nil ||
		!strings.Contains(err.Error(), "branches too much") {
		t.Errorf("%v", err)
	}
	if problems, err := New().CheckValue(json.RawMessage(twice), json.RawMessage(`{"a":{"a":{}}}`)); err != nil ||
		len(problems) > 0 {
		t.Errorf("a shallow value: %v %v", problems, err)
	}
}
