// Package schema checks the arguments of a call against its tool's JSON Schema before anything runs, and fills in the
// defaults.
//
// Check returns either the canonical arguments (an object with defaults and sorted names) or a validation error that
// says which parameter is wrong and why, and shows a correct call. Nothing is converted: "5" is not 5. Arguments and
// schemas are both untrusted: sizes, depth and numbers are limited, and a schema cannot make the program fetch
// anything.
package schema

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"sextant/shared/toolspec"
)

// Limits of arguments and schemas.
const (
	MaxArgsBytes   = 1 << 20
	maxSchemaBytes = 256 << 10
	maxDepth       = 64
	maxCached      = 4096
)

// Checker compiles each schema once and checks arguments. It is safe for concurrent use.
type Checker struct {
	mu     sync.Mutex
	cached map[[sha256.Size]byte]*compiled
}

type compiled struct {
	schema *jsonschema.Schema
	err    error
}

// New returns an empty Checker.
func New() *Checker { return &Checker{cached: map[[sha256.Size]byte]*compiled{}} }

// Check returns args in canonical form, or a failed Result that says why they do not fit def.
func (c *Checker) Check(def toolspec.Definition, args json.RawMessage) (json.RawMessage, *toolspec.Result) {
	sch, err := c.compile(def.Parameters)
	if err != nil {
		return nil, unusableSchema(err)
	}
	k := checker{def: def, schema: sch}
	object, problem := k.parse(args)
	if problem != nil {
		return nil, k.fail(*problem)
	}
	fillDefaults(sch, object, 0)
	if err := checkBounds(object, 0); err != nil {
		return nil, unusableSchema(fmt.Errorf("its defaults grow without end: %w", err))
	}
	if problems := k.validate(object); len(problems) > 0 {
		return nil, k.fail(problems...)
	}
	canonical, err := encode(object)
	if err != nil {
		return nil, k.fail(problemOf(err.Error()))
	}
	return canonical, nil
}

func unusableSchema(err error) *toolspec.Result {
	r := toolspec.Fail(toolspec.SystemError, "the tool's own parameters are not a usable JSON Schema: "+err.Error(),
		"Nothing ran. The tool has to be corrected where it is defined.")
	return &r
}

// CheckSchema returns why a definition's parameters cannot be used, or nil.
func (c *Checker) CheckSchema(parameters json.RawMessage) error {
	_, err := c.compile(parameters)
	return err
}

func (c *Checker) compile(parameters json.RawMessage) (*jsonschema.Schema, error) {
	if len(bytes.TrimSpace(parameters)) == 0 {
		parameters = json.RawMessage(`{"type":"object"}`)
	}
	key := sha256.Sum256(parameters)
	c.mu.Lock()
	defer c.mu.Unlock()
	if done, ok := c.cached[key]; ok {
		return done.schema, done.err
	}
	if len(c.cached) >= maxCached {
		clear(c.cached)
	}
	done := &compiled{}
	done.schema, done.err = compile(parameters)
	c.cached[key] = done
	return done.schema, done.err
}

func compile(parameters json.RawMessage) (*jsonschema.Schema, error) {
	if len(parameters) > maxSchemaBytes {
		return nil, fmt.Errorf("schema of %d bytes, at most %d", len(parameters), maxSchemaBytes)
	}
	doc, err := decode(parameters)
	if err != nil {
		return nil, err
	}
	if _, ok := doc.(map[string]any); !ok {
		return nil, errors.New("the schema is not an object")
	}
	const here = "tool:///parameters"
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(noLoader{})
	if err := compiler.AddResource(here, doc); err != nil {
		return nil, fmt.Errorf("reading the schema: %w", err)
	}
	sch, err := compiler.Compile(here)
	if err != nil {
		return nil, fmt.Errorf("reading the schema: %w", err)
	}
	return sch, nil
}

// noLoader refuses every reference to another document, because a tool's definition must not make the program read a
// file or an address.
type noLoader struct{}

// Load implements jsonschema.URLLoader.
func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("%q points outside of the schema", url)
}
