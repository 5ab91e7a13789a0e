package manifest

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"sextant/backend/tools/panels/manifest/shape"
)

// published is the schema as an editor would use it.
func published(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(shape.JSONSchema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("urn:manifest", doc); err != nil {
		t.Fatal(err)
	}
	return c.MustCompile("urn:manifest")
}

func TestTheSchemaAndTheJudgeAgree(t *testing.T) {
	s := published(t)
	refused := 0
	broken(t, func(t *testing.T, text []byte) {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return
		}
		// The judge counts null as left out and warns; a name that stands twice no JSON
		// reader sees.
		if err := s.Validate(value); err != nil {
			refused++
			if Read(text, "notes", false).Plan != nil {
				t.Errorf("the schema refuses what the judge accepts: %s", err)
			}
		}
		mended, _ := Mend(text, "notes")
		value, err = jsonschema.UnmarshalJSON(bytes.NewReader(mended))
		if err == nil {
			err = s.Validate(value)
		}
		if err != nil {
			t.Errorf("the schema refuses what the judge accepts: %s\n%s", err, mended)
		}
	})
	t.Logf("the schema alone refuses %d of them", refused)
	if refused < 200 {
		t.Errorf("the schema refuses only %d", refused)
	}
}

// TestWhatTheShapesRefuseTheSchemaRefuses takes each problem of kind, bound or name that the
// walk along the shapes found, and asks the schema about the same text.
func TestWhatTheShapesRefuseTheSchemaRefuses(t *testing.T) {
	s := published(t)
	asked := 0
	broken(t, func(t *testing.T, text []byte) {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		found := Read(text, "notes", false)
		if err != nil || found.doc.Root == nil || slices.ContainsFunc(found.Problems, func(p Problem) bool { return strings.Contains(p.Text, "stands twice") }) {
			return
		}
		j := &judge{doc: found.doc, folder: "notes", places: map[string]place{"": {node: found.doc.Root}}, bad: map[string]bool{}}
		if found.doc.Root.Kind.String() != "an object" {
			return
		}
		j.walk("", found.doc.Root, shape.Manifest())
		if slices.ContainsFunc(j.findings, func(f finding) bool { return !f.Warning() }) {
			asked++
			if s.Validate(value) == nil {
				t.Errorf("the schema accepts what the shapes refuse: %v", j.findings[0].Problem)
			}
		}
	})
	if asked < 150 {
		t.Errorf("only %d were asked about", asked)
	}
}

func TestTheExamplesAndTheMinimalFormFitTheSchema(t *testing.T) {
	s := published(t)
	files, err := filepath.Glob("../../../../docs/examples/*/manifest.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	texts := map[string][]byte{"minimal": []byte(minimal("notes", `,"tools":[{"name":"save","description":"x","endpoint":"POST /api/notes/save","parameters":{}}]`))}
	for _, file := range files {
		if texts[file], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range texts {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(value); err != nil {
			t.Errorf("%s: %s", name, err)
		}
		if folder := filepath.Base(filepath.Dir(name)); name != "minimal" && Read(text, folder, false).Plan == nil {
			t.Errorf("%s: %v", name, Read(text, folder, false).Problems)
		}
	}
}

// TestTheShapesAndTheTypesHaveTheSameMembers holds spec.go and manifest.go together.
func TestTheShapesAndTheTypesHaveTheSameMembers(t *testing.T) {
	var same func(at string, s *shape.Shape, of reflect.Type)
	same = func(at string, s *shape.Shape, of reflect.Type) {
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice && s.Kind.String() == "a list" {
			if of.Kind() == reflect.Slice {
				if s = s.Items; s == nil {
					return
				}
			}
			of = of.Elem()
		}
		if of.Kind() == reflect.Map && s.Values != nil {
			same(at+"/*", s.Values, of.Elem())
			return
		}
		if of.Kind() != reflect.Struct || len(s.Members) == 0 {
			return
		}
		var types []string
		for i := range of.NumField() {
			name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
			types = append(types, name)
			if m := s.Member(name); m != nil {
				same(at+"/"+name, m.Shape, of.Field(i).Type)
			}
		}
		shapes := slices.DeleteFunc(s.MemberNames(), func(n string) bool { return n == "$schema" || at == "/tools/annotations" && n == "title" })
		slices.Sort(types)
		slices.Sort(shapes)
		if !slices.Equal(types, shapes) {
			t.Errorf("%s: the type has %v, the shape %v", at, types, shapes)
		}
	}
	same("", shape.Manifest(), reflect.TypeFor[Manifest]())
}
