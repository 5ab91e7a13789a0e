package schema

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// CheckValue checks a JSON value against format, the schema of an answer. problems contains sentences about the value,
// none if it matches. The error says that the schema cannot be used, or that the check would take too long.
func (c *Checker) CheckValue(format, value json.RawMessage) (problems []string, err error) {
	if err := c.CheckFormat(format); err != nil {
		return nil, err
	}
	sch, err := c.compile(format)
	if err != nil {
		return nil, err
	}
	v, err := decode(value)
	if err != nil {
		return []string{err.Error()}, nil
	}
	if (&effortCounter{limit: maxEffort}).count(sch, number(v, new(int))) > maxEffort {
		return nil, fmt.Errorf("the schema branches too much to check this value: over %d steps", maxEffort)
	}
	k := checker{schema: sch, whole: "the value"}
	var found []problem
	var invalid *jsonschema.ValidationError
	switch failed := sch.Validate(v); {
	case failed == nil:
	case errors.As(failed, &invalid):
		k.leaves(invalid, v, &found)
	default:
		found = append(found, problemOf(failed.Error()))
	}
	for _, p := range found[:min(len(found), maxProblems)] {
		problems = append(problems, p.what)
	}
	return problems, nil
}

// CheckFormat returns why format cannot be used as the schema of an answer, or nil. It also rejects a schema that
// branches too much, or refers to itself without going deeper into the value.
func (c *Checker) CheckFormat(format json.RawMessage) error {
	sch, err := c.compile(format)
	if err != nil {
		return err
	}
	seen := map[*jsonschema.Schema]bool{}
	collectSchemas(sch, seen)
	w := effortCounter{limit: maxEffort} // shared, so that each part is counted once
	for part := range seen {
		switch total := w.count(part, &place{}); {
		case w.circular != "":
			return fmt.Errorf("the schema at %s refers to itself without going deeper into the value", w.circular)
		case total > maxEffort:
			return fmt.Errorf("the schema branches too much: over %d steps for one value", maxEffort)
		}
	}
	return nil
}
