package environment

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// schemaOf is the JSON Schema of a parameters struct, so that the two cannot differ. Tags:
// json (the name), doc, enum (a,b,c), min, max, default, items (a list's
// items as JSON Schema) and required:"true". A point is an object of x and
// y, an anchor an element's number or a point. It is written
// as short as it can be: models pay for every word of it.
func schemaOf[P any]() json.RawMessage {
	var b bytes.Buffer
	b.WriteString(`{"type":"object","properties":{`)
	var required []string
	t := reflect.TypeFor[P]()
	for i := range t.NumField() {
		f := t.Field(i)
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:", f.Tag.Get("json"))
		b.WriteString(property(f))
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
	var parts []string
	enum := f.Tag.Get("enum")
	values := ""
	if enum != "" {
		quoted := strings.Split(enum, ",")
		for i, v := range quoted {
			quoted[i] = strconv.Quote(v)
		}
		values = `"enum":[` + strings.Join(quoted, ",") + `]`
	}
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case f.Tag.Get("items") != "":
		parts = append(parts, `"type":"array","items":`+f.Tag.Get("items"))
	case t == reflect.TypeFor[point]():
		parts = append(parts, pointSchema)
	case t == reflect.TypeFor[anchor]():
		parts = append(parts, anchorSchema)
	case t == reflect.TypeFor[[]point]():
		parts = append(parts, `"type":"array","items":{`+pointSchema+`}`)
	default:
		parts = append(parts, simple(t, values))
	}
	words := map[string]string{"min": "minimum", "max": "maximum"}
	if f.Type.Kind() == reflect.Slice {
		words["max"] = "maxItems"
	}
	for tag, word := range words {
		if v := f.Tag.Get(tag); v != "" {
			parts = append(parts, strconv.Quote(word)+":"+v)
		}
	}
	if len(parts) == 3 && parts[1] > parts[2] {
		parts[1], parts[2] = parts[2], parts[1]
	}
	if t.Kind() == reflect.Slice {
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

// simple is the type of a field that is a number, a word, a switch or a list of words.
func simple(t reflect.Type, values string) string {
	switch t.Kind() {
	case reflect.Slice:
		item := `"type":"string"`
		if values != "" {
			item = values
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

// defaultsOf is a P with the defaults of its tags, for callers whose arguments came without them.
func defaultsOf[P any]() P {
	var p P
	v := reflect.ValueOf(&p).Elem()
	for i := range v.NumField() {
		d := v.Type().Field(i).Tag.Get("default")
		if d == "" {
			continue
		}
		// A tag that does not fit its field is a mistake of ours that the schema test finds.
		if err := json.Unmarshal([]byte(d), v.Field(i).Addr().Interface()); err != nil {
			continue
		}
	}
	return p
}
