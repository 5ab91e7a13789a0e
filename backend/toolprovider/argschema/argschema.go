// Package argschema checks JSON Schemas of tool arguments that panels and servers supply: a schema must compile and
// refer to nothing outside itself. The package also checks examples of arguments.
package argschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"sextant/backend/pipeline/schema"
	"sextant/shared/toolspec"
)

type nowhere struct{}

func (nowhere) Load(url string) (any, error) {
	return nil, fmt.Errorf("it refers to %s, but references may only lead inside the schema", url)
}

// Check returns an error that says why text is not a usable JSON Schema, or nil.
func Check(text []byte) error {
	if IsPlain(text) {
		return nil
	}
	_, err := Compile(text)
	if err == nil {
		return nil
	}
	_, why := Explain(err)
	return errors.New(why)
}

// Compile compiles the schema in text. Explain describes its error.
func Compile(text []byte) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(nowhere{})
	const here = "urn:sextant:arguments"
	if err := c.AddResource(here, doc); err != nil {
		return nil, err
	}
	return c.Compile(here)
}

// Explain returns the reason for an error of Compile and its place in the schema, as a JSON pointer. The place is "" if
// the error names none.
func Explain(err error) (pointer, why string) {
	var invalid *jsonschema.SchemaValidationError
	var detail *jsonschema.ValidationError
	if !errors.As(err, &invalid) || !errors.As(invalid.Err, &detail) {
		return "", err.Error()
	}
	for len(detail.Causes) > 0 {
		detail = detail.Causes[0]
	}
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	for _, part := range detail.InstanceLocation {
		pointer += "/" + escape.Replace(part)
	}
	lines := strings.Split(detail.Error(), "\n")
	return pointer, strings.TrimPrefix(strings.TrimSpace(lines[len(lines)-1]), "- ")
}

// CheckExample checks example against the parameters of def. compiled is their compiled schema, or nil, which is
// slower. why is "" if the example fits; otherwise right contains arguments that fit, or {} if none could be built.
func CheckExample(def toolspec.Definition, compiled *jsonschema.Schema, example json.RawMessage) (why string,
	right json.RawMessage,
) {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(example))
	if err == nil && compiled != nil && compiled.Validate(value) == nil {
		return "", nil
	}
	// The pipeline's check of calls fills in defaults and words the error.
	def.Examples = nil
	c := schema.New()
	_, failed := c.Check(def, example)
	if failed == nil {
		return "", nil
	}
	why, _, _ = strings.Cut(failed.Error, ". For example ")
	right = c.Example(def, example)
	return why, right
}
