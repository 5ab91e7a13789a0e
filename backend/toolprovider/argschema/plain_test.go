package argschema

import (
	"fmt"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemas are good and bad ones, the plain ones among them marked by a space in front.
func schemas() []string {
	return []string{
		` {"type":"object","properties":{"a":{"type":"string","description":"x","minLength":1,"default":null},"b":{"type":"array","items":{"type":"integer","minimum":-1.5}}},"required":["a","b"],"additionalProperties":false}`,
		` {}`, ` {"enum":[1,"1",null]}`, ` {"items":true}`, ` {"additionalProperties":{"type":"null"}}`,
		`{"type":"text"}`, `{"type":7}`, `{"type":["string","null"]}`, `{"enum":{}}`, `{"enum":[]}`,
		`{"required":["a","a"]}`, `{"required":[1]}`, `{"required":"a"}`,
		`{"minLength":-1}`, `{"minLength":1.5}`, `{"minLength":"1"}`, `{"minLength":1e2}`, `{"minimum":"1"}`,
		`{"properties":[]}`, `{"properties":{"a":1}}`, `{"properties":{"a":{"type":"x"}}}`,
		`{"description":7}`, `{"pattern":"("}`, `{"pattern":"a"}`, `{"$ref":"#"}`, `{"$ref":"http://a.example/"}`,
		`{"items":[{}]}`, `{"additionalProperties":"no"}`, `[]`, `7`, `true`, `null`,
		strings.Repeat(`{"items":`, 40) + `{}` + strings.Repeat(`}`, 40),
	}
}

func TestPlainSchemasCompile(t *testing.T) {
	for _, text := range schemas() {
		t.Run(fmt.Sprintf("%.40s", text), func(t *testing.T) {
			doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			_, err = Compile([]byte(text))
			is := plain(doc, 0)
			if is != strings.HasPrefix(text, " ") {
				t.Errorf("%s: plain is %t", text, is)
			}
			if is && err != nil {
				t.Errorf("%s is plain, but: %v", text, err)
			}
		})
	}
}

func FuzzPlain(f *testing.F) {
	for _, text := range schemas() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil || !plain(doc, 0) {
			return
		}
		if _, err := Compile([]byte(text)); err != nil {
			t.Errorf("%s is plain, but: %v", text, err)
		}
	})
}
