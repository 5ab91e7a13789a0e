package toolkit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// SchemaMember is implemented by parameter types for which Schema cannot derive a JSON Schema.
type SchemaMember interface {
	// SchemaMembers returns the members of the schema object without the braces.
	SchemaMembers() string
}

// Schema returns the JSON Schema of the parameters struct P, so that the two cannot differ. It reads these tags: json
// (the name), doc, enum (a,b,c), min and max of a number, max of a list (its length), default (JSON), items (the JSON
// Schema of a list's items) and required:"true". The schema is short, because each word costs tokens.
func Schema[P any]() json.RawMessage {
	var b bytes.Buffer
	b.WriteString(`{"type":"object","properties":{`)
	var required []string
	t := reflect.TypeFor[P]()
	for i := range t.NumField() {
		f := t.Field(i)
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%s", f.Tag.Get("json"), property(f))
		if f.Tag.Get("required") != "" {
			required = append(required, strconv.Quote(f.Tag.Get("json")))
		}
	}
	b.WriteByte('}')
	if len(required) > 0 {
		b.WriteString(`,"required":[` + strings.Join(required, ",") + `]`)
	}
	b.WriteString(`,"additionalProperties":false}`)
	return b.Bytes()
}

func property(f reflect.StructField) string {
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	list := t.Kind() == reflect.Slice
	parts := []string{typeMembers(t, f.Tag)}
	if v := f.Tag.Get("max"); v != "" {
		name := `"maximum":`
		if list {
			name = `"maxItems":`
		}
		parts = append(parts, name+v)
	}
	if v := f.Tag.Get("min"); v != "" {
		parts = append(parts, `"minimum":`+v)
	}
	if list {
		parts = append(parts, `"minItems":1`)
	}
	if d := f.Tag.Get("default"); d != "" {
		parts = append(parts, `"default":`+d)
	}
	if d := f.Tag.Get("doc"); d != "" {
		parts = append(parts, `"description":`+strconv.Quote(d))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func typeMembers(t reflect.Type, tag reflect.StructTag) string {
	if items := tag.Get("items"); items != "" {
		return `"type":"array","items":` + items
	}
	if m, ok := reflect.New(t).Interface().(SchemaMember); ok {
		return m.SchemaMembers()
	}
	values := ""
	if enum := tag.Get("enum"); enum != "" {
		values = `"enum":["` + strings.ReplaceAll(enum, ",", `","`) + `"]`
	}
	switch t.Kind() {
	case reflect.Slice:
		item := values
		if item == "" {
			item = typeMembers(t.Elem(), "")
		}
		return `"type":"array","items":{` + item + `}`
	case reflect.Map:
		return `"type":"object"`
	case reflect.Bool:
		return `"type":"boolean"`
	case reflect.Int:
		return `"type":"integer"`
	case reflect.Float64:
		return `"type":"number"`
	}
	if values != "" {
		return `"type":"string",` + values
	}
	return `"type":"string"`
}

// Defaults returns a P with the defaults of its tags, for arguments that were not completed with defaults. It skips a
// default that does not fit its field; the tests of the tools find these.
func Defaults[P any]() P {
	var p P
	v := reflect.ValueOf(&p).Elem()
	for i := range v.NumField() {
		if d := v.Type().Field(i).Tag.Get("default"); d != "" {
			_ = json.Unmarshal([]byte(d), v.Field(i).Addr().Interface())
		}
	}
	return p
}
