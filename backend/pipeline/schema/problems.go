package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"sextant/backend/pipeline/nearest"
	"sextant/shared/toolspec"
)

const maxProblems = 3

type checker struct {
	def    toolspec.Definition
	schema *jsonschema.Schema
	// whole is the name of the whole value in messages, or "" for the arguments of a tool.
	whole string
}

type problem struct {
	what string
	fix  string
	// missing is the name of a missing parameter, for choosing an example.
	missing string
}

func problemOf(what string) problem { return problem{what: what} }

func (c checker) parse(args json.RawMessage) (map[string]any, *problem) {
	if len(args) > MaxArgsBytes {
		return nil, &problem{
			what: fmt.Sprintf("the arguments are %d bytes, and at most %d are allowed", len(args), MaxArgsBytes),
			fix:  "Send less at once.",
		}
	}
	if len(strings.TrimSpace(string(args))) == 0 || string(args) == "null" {
		return map[string]any{}, nil
	}
	v, err := decode(args)
	if err != nil {
		return nil, &problem{what: "the arguments cannot be read: " + err.Error(), fix: "Send one JSON object."}
	}
	object, ok := v.(map[string]any)
	if !ok {
		return nil, &problem{what: "the arguments are " + describe(v) + ", not an object", fix: "Send one JSON object."}
	}
	return object, nil
}

func (c checker) validate(object map[string]any) []problem {
	problems := c.unknown(object)
	err := c.schema.Validate(object)
	var invalid *jsonschema.ValidationError
	switch {
	case err == nil:
	case errors.As(err, &invalid):
		c.leaves(invalid, object, &problems)
	default:
		problems = append(problems, problemOf(err.Error()))
	}
	if len(problems) > maxProblems {
		problems = problems[:maxProblems]
	}
	return problems
}

// unknown finds arguments that the tool does not have. JSON Schema allows them by default, but for our own tools an
// unknown name is a mistake. It leaves alone the schemas of MCP servers, and those that say themselves what else is
// allowed.
func (c checker) unknown(object map[string]any) []problem {
	s := c.schema
	if c.def.Origin == toolspec.OriginMCP || len(s.Properties) == 0 || s.AdditionalProperties != nil ||
		len(s.PatternProperties) > 0 || s.Ref != nil || len(s.AllOf)+len(s.AnyOf)+len(s.OneOf) > 0 {
		return nil
	}
	var names []string
	for name := range object {
		if _, known := s.Properties[name]; !known {
			names = append(names, name)
		}
	}
	return c.unknownNames("", names, s)
}

func (c checker) unknownNames(at string, names []string, sch *jsonschema.Schema) []problem {
	slices.Sort(names)
	known := propertyNames(sch)
	var problems []problem
	for _, name := range names {
		what := " is not one of its arguments"
		if c.whole != "" {
			what = " is not one of its properties"
		}
		p := problem{what: quote(join(at, name)) + what, fix: "Leave it out."}
		if near := nearest.Names(name, known, 1); len(near) > 0 {
			p.what += ", the nearest is " + quote(join(at, near[0]))
			p.fix = "Send " + quote(join(at, near[0])) + " instead."
		} else if len(known) > 0 {
			p.what += ", it has " + strings.Join(known, ", ")
		}
		problems = append(problems, p)
	}
	return problems
}

func orDefault(s, standard string) string {
	if s == "" {
		return standard
	}
	return s
}

func propertyNames(sch *jsonschema.Schema) []string {
	if sch == nil {
		return nil
	}
	names := make([]string, 0, len(sch.Properties))
	for name := range sch.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// leaves adds the innermost causes of e to into, but stops at a choice between schemas.
func (c checker) leaves(e *jsonschema.ValidationError, object any, into *[]problem) {
	if len(*into) > maxProblems {
		return
	}
	if len(e.Causes) == 0 || isChoice(e) {
		c.explain(e, object, into)
		return
	}
	causes := slices.Clone(e.Causes)
	slices.SortStableFunc(causes, func(a, b *jsonschema.ValidationError) int {
		return slices.Compare(a.InstanceLocation, b.InstanceLocation)
	})
	for _, cause := range causes {
		c.leaves(cause, object, into)
	}
}

// isChoice reports whether e is about alternatives. Its causes are then not separate problems.
func isChoice(e *jsonschema.ValidationError) bool {
	switch e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf, *kind.Not:
		return true
	}
	return false
}

func (c checker) explain(e *jsonschema.ValidationError, object any, into *[]problem) {
	at, value := path(e.InstanceLocation), find(object, e.InstanceLocation)
	if _, list := object.([]any); list && at != "" {
		at = path(append([]string{"value"}, e.InstanceLocation...)) // value[0].name; arguments are never a list
	}
	name := quote(at)
	if at == "" {
		name = orDefault(c.whole, "the arguments")
	}
	add := func(what, fix string) { *into = append(*into, problem{what: what, fix: fix}) }
	switch cause := e.ErrorKind.(type) {
	case *kind.Required:
		for _, missing := range cause.Missing {
			p := c.missing(join(at, missing), missing, e.InstanceLocation)
			*into = append(*into, p)
		}
	case *kind.Type:
		add(fmt.Sprintf("%s must be %s, not %s", name, typeNames(cause.Want), describe(value)),
			fmt.Sprintf("Send %s as %s.", name, typeNames(cause.Want)))
	case *kind.Enum:
		add(fmt.Sprintf("%s must be one of %s, not %s", name, values(cause.Want), show(value)),
			fmt.Sprintf("Send one of %s.", values(cause.Want)))
	case *kind.Const:
		add(fmt.Sprintf("%s must be %s, not %s", name, show(cause.Want), show(value)), "Send "+show(cause.Want)+".")
	case *kind.AdditionalProperties:
		*into = append(*into, c.unknownNames(at, slices.Clone(cause.Properties), c.under(e.InstanceLocation))...)
	case *kind.Pattern:
		add(fmt.Sprintf("%s does not have the form %s: %s", name, cause.Want, show(value)), "Send it in that form.")
	case *kind.AnyOf, *kind.OneOf:
		add(fmt.Sprintf("%s matches none of its forms, or more than one: %s", name, show(value)),
			"Send one of its forms.")
	default:
		words := e.ErrorKind.LocalizedString(message.NewPrinter(language.English))
		add(fmt.Sprintf("%s is wrong: %s", name, words), "")
	}
}

func (c checker) missing(full, name string, location []string) problem {
	p := problem{what: quote(full) + " is missing", fix: "Send " + quote(full) + ".", missing: name}
	parent := c.under(location)
	if parent == nil || parent.Properties[name] == nil {
		return p
	}
	about := parent.Properties[name]
	if about.Types != nil {
		p.what += " (" + strings.Join(about.Types.ToStrings(), " or ") + ")"
	}
	if about.Description != "" {
		p.what += ": " + firstSentence(about.Description)
	}
	return p
}

func (c checker) under(location []string) *jsonschema.Schema {
	sch := c.schema
	for i := 0; sch != nil; {
		switch {
		case i == len(location) && (len(sch.Properties) > 0 || sch.Ref == nil):
			return sch
		case sch.Ref != nil && len(sch.Properties) == 0:
			sch = sch.Ref
		default:
			next := sch.Properties[location[i]]
			if next == nil {
				next = itemSchema(sch, 0)
			}
			sch = next
			i++
		}
	}
	return nil
}
