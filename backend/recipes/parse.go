package recipes

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"sextant/backend/sandbox/secrets"
	"sextant/backend/toolprovider/argschema"
	"sextant/backend/toolprovider/jsonpos"
	"sextant/docs"
	"sextant/shared/recipe"
)

// maxBytes bounds the text of a recipe.
const maxBytes = 1 << 20

// Problem is a mistake in the text of a recipe. Line and Column count from 1.
type Problem struct {
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Text   string `json:"text"`
}

// String returns the problem in one line, with its place.
func (p Problem) String() string { return fmt.Sprintf("%d:%d: %s", p.Line, p.Column, p.Text) }

// InvalidError contains all problems of a recipe.
type InvalidError struct{ Problems []Problem }

// Error implements error.
func (e *InvalidError) Error() string {
	all := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		all[i] = p.String()
	}
	return strings.Join(all, "\n")
}

var compiled = sync.OnceValues(func() (*jsonschema.Schema, error) { return argschema.Compile(docs.RecipeSchema()) })

// Parse reads the text of a recipe.json. An error is an *InvalidError unless the program itself is broken.
func Parse(text []byte) (recipe.Recipe, error) {
	var rec recipe.Recipe
	if len(text) > maxBytes {
		return rec, &InvalidError{[]Problem{{1, 1, "the recipe is larger than 1 MB"}}}
	}
	index, err := jsonpos.Parse(text)
	var fault *jsonpos.Error
	if errors.As(err, &fault) {
		return rec, &InvalidError{[]Problem{{fault.Line, fault.Column, "not valid JSON: " + fault.Text}}}
	}
	if err != nil {
		return rec, err
	}
	schema, err := compiled()
	if err != nil {
		return rec, fmt.Errorf("reading the schema of recipes: %w", err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return rec, err
	}
	var invalid *jsonschema.ValidationError
	if err := schema.Validate(value); errors.As(err, &invalid) {
		return rec, &InvalidError{schemaProblems(index, invalid)}
	}
	if err := json.Unmarshal(text, &rec); err != nil {
		return rec, err
	}
	if problems := checkParameters(index, rec); len(problems) > 0 {
		return rec, &InvalidError{problems}
	}
	return rec, nil
}

func at(index *jsonpos.Index, pointer, format string, args ...any) Problem {
	line, column := index.PositionOf(pointer)
	return Problem{line, column, fmt.Sprintf(format, args...)}
}

func schemaProblems(index *jsonpos.Index, invalid *jsonschema.ValidationError) []Problem {
	if len(invalid.Causes) == 0 {
		pointer := ""
		for _, part := range invalid.InstanceLocation {
			pointer = jsonpos.Pointer(pointer, part)
		}
		where := strings.Join(invalid.InstanceLocation, ".")
		if where != "" {
			where += ": "
		}
		return []Problem{at(index, pointer, "%s%s", where,
			invalid.ErrorKind.LocalizedString(message.NewPrinter(language.English)))}
	}
	var all []Problem
	for _, cause := range invalid.Causes {
		all = append(all, schemaProblems(index, cause)...)
	}
	return all
}

// checkParameters reports placeholders without a parameter, parameters that no step uses or that occur twice, and
// values that cannot be kept.
func checkParameters(index *jsonpos.Index, rec recipe.Recipe) []Problem {
	var problems []Problem
	var declared []string
	used := usedParameters(index.Raw("/steps"))
	for i, p := range rec.Parameters {
		pointer := "/parameters/" + strconv.Itoa(i) + "/name"
		switch {
		case isReserved(p.Name):
			problems = append(problems, at(index, pointer, "the name %s is taken by every recipe", p.Name))
		case slices.Contains(declared, p.Name):
			problems = append(problems, at(index, pointer, "the parameter %s occurs twice", p.Name))
		case !slices.Contains(used, p.Name):
			problems = append(problems, at(index, pointer, "no step uses {{%s}}", p.Name))
		case p.Secret && p.Default != nil && !secrets.HasOnlyReferences(*p.Default):
			problems = append(problems, at(index, pointer, "the default of a secret is {{secret:name}}, not the value"))
		}
		declared = append(declared, p.Name)
	}
	var kept []string
	for i, s := range rec.Steps {
		pointer := "/steps/" + strconv.Itoa(i)
		if len(s.Keep) > 0 && s.Tool != contentTool {
			problems = append(problems, at(index, pointer+"/keep", "only %s can keep values", contentTool))
		}
		for _, o := range s.Keep {
			if slices.Contains(kept, o.Name) {
				problems = append(problems, at(index, pointer+"/keep", "the value %s occurs twice", o.Name))
			}
			kept = append(kept, o.Name)
		}
		for _, name := range usedParameters(index.Raw(pointer)) {
			if !slices.Contains(declared, name) {
				problems = append(problems, at(index, pointer, "there is no parameter %s for {{%s}}", name, name))
			}
		}
	}
	return problems
}

// Format returns the text of a recipe.json.
func Format(rec recipe.Recipe) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(rec); err != nil {
		return nil, fmt.Errorf("writing recipe %s: %w", rec.Name, err)
	}
	return b.Bytes(), nil
}
