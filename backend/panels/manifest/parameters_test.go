package manifest

import "testing"

func TestShortParameters(t *testing.T) {
	for _, c := range []struct{ name, raw, want string }{
		{
			"names with schemas", `{"id":{"type":"integer","required":true},"type":{"type":"string"}}`,
			`{"additionalProperties":false,"properties":{"id":{"type":"integer"},"type":{"type":"string"}},"required":["id"],"type":"object"}`,
		},
		{
			"a parameter called properties", `{"properties":{"type":"object"}}`,
			`{"additionalProperties":false,"properties":{"properties":{"type":"object"}},"type":"object"}`,
		},
		{"nothing", ``, `{"additionalProperties":false,"properties":{},"type":"object"}`},
		{
			"a schema", `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`,
			`{"properties":{"a":{"type":"string"}},"required":["a"],"type":"object"}`,
		},
		{
			"a schema that does not say object", `{"properties":{"a":{"type":"string"}}}`,
			`{"properties":{"a":{"type":"string"}},"type":"object"}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, fault := readParameters([]byte(c.raw))
			if fault != nil {
				t.Fatal(fault.text)
			}
			if got := string(p.json()); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}
