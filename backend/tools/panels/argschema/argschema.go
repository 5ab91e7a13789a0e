// Package argschema says whether the schema of a tool's arguments, written by somebody
// else, can be used: it compiles, and it refers to nothing outside itself. It says the same
// of an example of arguments.
package argschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"sextant/backend/calls/schema"
	"sextant/shared/toolspec"
)

// nowhere refuses to load schemas from outside: a $ref stays inside its own text.
type nowhere struct{}

func (nowhere) Load(url string) (any, error) {
	return nil, fmt.Errorf("it refers to %s, and references may only lead inside the schema", url)
}

// Check reports why text is not a usable JSON Schema, in a phrase; nil when it is.
func Check(text []byte) error {
	if Plain(text) {
		return nil
	}
	_, err := Compile(text)
	if err == nil {
		return nil
	}
	_, why := Explain(err)
	return errors.New(why)
}

// Compile makes the schema of text ready for use. Explain says what its error means.
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

// Explain is the place in the schema, as a JSON pointer, and the reason of an error of
// Compile. The place is "" where the error names none.
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

// Example says why example is no arguments of def, whose parameters are compiled, and shows
// some that are; why is "" when it is.
func Example(def toolspec.Definition, compiled *jsonschema.Schema, example json.RawMessage) (why string, right json.RawMessage) {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(example))
	if err == nil && compiled != nil && compiled.Validate(value) == nil {
		return "", nil
	}
	// The check of calls fills in defaults, and words what is wrong.
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
