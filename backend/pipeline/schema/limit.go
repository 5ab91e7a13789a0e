package schema

import (
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxEffort limits the steps of one check. A step applies a schema to a part of the value; repetitions count. A few
// hundred bytes of schema can require exponentially many.
const maxEffort = 500_000

type place struct {
	number  int
	members map[string]*place
	items   []*place
}

func number(v any, next *int) *place {
	p := &place{number: *next}
	*next++
	switch v := v.(type) {
	case map[string]any:
		p.members = make(map[string]*place, len(v))
		for name, inner := range v {
			p.members[name] = number(inner, next)
		}
	case []any:
		for _, inner := range v {
			p.items = append(p.items, number(inner, next))
		}
	}
	return p
}

// effortCounter counts the steps of a check without running it. It visits each pair once and stores its count.
type effortCounter struct {
	limit   int
	visited int
	known   map[pair]int
	// circular is the location of a schema that refers to itself for the same part of the value.
	circular string
}

type pair struct {
	schema *jsonschema.Schema
	place  int
}

const counting = -1

// count returns the number of steps, or more than the limit if there are too many or infinitely many.
func (e *effortCounter) count(s *jsonschema.Schema, at *place) int {
	if s == nil {
		return 0
	}
	if e.known == nil {
		e.known = map[pair]int{}
	}
	key := pair{s, at.number}
	if n, done := e.known[key]; done {
		if n == counting {
			e.circular = "#" + fragment(s.Location)
			return e.limit + 1
		}
		return n
	}
	if e.visited++; e.visited > e.limit {
		return e.limit + 1
	}
	e.known[key] = counting
	total := 1
	add := func(s *jsonschema.Schema, at *place) {
		if total <= e.limit {
			total += e.count(s, at)
		}
	}
	for _, same := range inPlace(s) {
		add(same, at)
	}
	for name, inner := range at.members {
		for _, below := range forMember(s, name) {
			add(below, inner)
		}
	}
	for i, inner := range at.items {
		for _, below := range forItem(s, i) {
			add(below, inner)
		}
	}
	total = min(total, e.limit+1)
	e.known[key] = total
	return total
}

func fragment(location string) string {
	_, after, _ := strings.Cut(location, "#")
	return after
}

func inPlace(s *jsonschema.Schema) []*jsonschema.Schema {
	list := []*jsonschema.Schema{s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else}
	if s.DynamicRef != nil {
		list = append(list, s.DynamicRef.Ref)
	}
	for _, more := range [][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf} {
		list = append(list, more...)
	}
	for _, more := range s.DependentSchemas {
		list = append(list, more)
	}
	for _, more := range s.Dependencies {
		if sch, ok := more.(*jsonschema.Schema); ok {
			list = append(list, sch)
		}
	}
	return list
}

func collectSchemas(s *jsonschema.Schema, seen map[*jsonschema.Schema]bool) {
	if s == nil || seen[s] {
		return
	}
	seen[s] = true
	below := append(inPlace(s), forMember(s, "")...)
	below = append(below, forItem(s, len(s.PrefixItems))...)
	below = append(below, s.PrefixItems...)
	for _, more := range s.Properties {
		below = append(below, more)
	}
	if list, ok := s.Items.([]*jsonschema.Schema); ok {
		below = append(below, list...)
	}
	for _, inner := range below {
		collectSchemas(inner, seen)
	}
}

// forMember returns the schemas that s applies to a member, including those of patterns that do not match.
func forMember(s *jsonschema.Schema, name string) []*jsonschema.Schema {
	list := []*jsonschema.Schema{s.Properties[name], s.UnevaluatedProperties, s.PropertyNames}
	for _, more := range s.PatternProperties {
		list = append(list, more)
	}
	if more, ok := s.AdditionalProperties.(*jsonschema.Schema); ok {
		list = append(list, more)
	}
	return list
}

// forItem returns the schemas that s applies to item i of an array.
func forItem(s *jsonschema.Schema, i int) []*jsonschema.Schema {
	list := []*jsonschema.Schema{itemSchema(s, i), s.Contains, s.UnevaluatedItems}
	if more, ok := s.AdditionalItems.(*jsonschema.Schema); ok {
		list = append(list, more)
	}
	return list
}
