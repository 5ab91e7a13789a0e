package manifest

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestSchemaFindsMostMistakes validates as an editor would, and checks that Parse accepts
// nothing that the published schema refuses.
func TestSchemaFindsMostMistakes(t *testing.T) {
	refused := 0
	broken(t, func(t *testing.T, text []byte) {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil || loadSchema().compiled.Validate(value) == nil {
			return
		}
		refused++
		if Parse(text, "notes", false).Plan != nil {
			t.Error("the schema refuses what Parse accepts")
		}
	})
	t.Logf("the schema alone refuses %d of them", refused)
	if refused < 200 {
		t.Errorf("the schema refuses only %d", refused)
	}
}

func TestExamplesMatchSchema(t *testing.T) {
	files, err := filepath.Glob("../../../docs/examples/*/manifest.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	const tool = `,"tools":[{"name":"save","description":"x","endpoint":"POST /api/notes/save","parameters":{}}]`
	texts := map[string][]byte{"notes/minimal": []byte(minimal("notes", tool))}
	for _, file := range files {
		if texts[file], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range texts {
		t.Run(filepath.Base(filepath.Dir(name)), func(t *testing.T) {
			value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			if err := loadSchema().compiled.Validate(value); err != nil {
				t.Error(err)
			}
			if parsed := Parse(text, filepath.Base(filepath.Dir(name)), false); parsed.Plan == nil {
				t.Error(parsed.Problems)
			}
		})
	}
}

// TestSchemaMatchesTypes keeps the schema and manifest.go together.
func TestSchemaMatchesTypes(t *testing.T) {
	var same func(at string, n *node, of reflect.Type)
	same = func(at string, n *node, of reflect.Type) {
		for of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		switch {
		case of.Kind() == reflect.Slice && n.Items != nil:
			same(at+"/*", n.Items, of.Elem())
		case of.Kind() == reflect.Map && n.Additional.node != nil:
			same(at+"/*", n.Additional.node, of.Elem())
		case of.Kind() == reflect.Struct && len(n.Properties) > 0:
			var fields []string
			for i := range of.NumField() {
				name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
				fields = append(fields, name)
				if member := n.member(name); member != nil {
					same(at+"/"+name, member, of.Field(i).Type)
				}
			}
			slices.Sort(fields)
			known := slices.DeleteFunc(n.names(), func(name string) bool {
				return name == "$schema" || at == "/tools/*/annotations" && name == "title"
			})
			if diff := cmp.Diff(known, fields); diff != "" {
				t.Errorf("%s (-schema +type):\n%s", at, diff)
			}
		}
	}
	same("", loadSchema().root, reflect.TypeFor[Manifest]())
}

func TestSchemaExamplesAreValid(t *testing.T) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(JSONSchema()))
	if err != nil {
		t.Fatal(err)
	}
	var visit func(location string, schema any)
	visit = func(location string, schema any) {
		object, ok := schema.(map[string]any)
		if !ok {
			return
		}
		examples, _ := object["examples"].([]any)
		for _, example := range examples {
			compiler := jsonschema.NewCompiler()
			if err := compiler.AddResource("urn:part", object); err != nil {
				t.Fatal(err)
			}
			if err := compiler.MustCompile("urn:part").Validate(example); err != nil {
				t.Errorf("%s: %s", location, err)
			}
		}
		for _, keyword := range []string{"items", "additionalProperties"} {
			visit(location+"/"+keyword, object[keyword])
		}
		properties, _ := object["properties"].(map[string]any)
		for name, member := range properties {
			visit(location+"/"+name, member)
		}
	}
	visit("", document)
}
