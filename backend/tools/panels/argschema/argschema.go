// Package argschema says whether the schema of a tool's arguments, written by somebody
// else, can be used: it compiles, and it refers to nothing outside itself.
package argschema

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// nowhere refuses to load schemas from outside: a $ref stays inside its own text.
type nowhere struct{}

func (nowhere) Load(url string) (any, error) {
	return nil, fmt.Errorf("it refers to %s, and references may only lead inside the schema", url)
}

// Check reports why text is not a usable JSON Schema, in a phrase; nil when it is.
func Check(text []byte) error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(nowhere{})
	const here = "urn:sextant:arguments"
	if err := c.AddResource(here, doc); err != nil {
		return err
	}
	_, err = c.Compile(here)
	var invalid *jsonschema.SchemaValidationError
	if errors.As(err, &invalid) {
		var detail *jsonschema.ValidationError
		if errors.As(invalid.Err, &detail) {
			for len(detail.Causes) > 0 {
				detail = detail.Causes[0]
			}
			lines := strings.Split(detail.Error(), "\n")
			return errors.New(strings.TrimPrefix(strings.TrimSpace(lines[len(lines)-1]), "- "))
		}
	}
	return err
}
