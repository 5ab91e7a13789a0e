package schema

import "github.com/santhosh-tekuri/jsonschema/v6"

// fillDefaults sets missing values to the schema's defaults at every depth. Branches of anyOf, oneOf and if add none,
// because it is not known yet which one applies.
func fillDefaults(sch *jsonschema.Schema, value any, depth int) {
	// References can be circular; values cannot be deeper than maxDepth.
	if sch == nil || depth > 4*maxDepth {
		return
	}
	fillDefaults(sch.Ref, value, depth+1)
	for _, part := range sch.AllOf {
		fillDefaults(part, value, depth+1)
	}
	switch value := value.(type) {
	case map[string]any:
		fillObject(sch, value, depth)
	case []any:
		fillArray(sch, value, depth)
	}
}

func fillObject(sch *jsonschema.Schema, object map[string]any, depth int) {
	for name, property := range sch.Properties {
		if _, there := object[name]; !there {
			value, ok := defaultOf(property, 0)
			if !ok {
				continue
			}
			object[name] = value
		}
		fillDefaults(property, object[name], depth+1)
	}
	more, ok := sch.AdditionalProperties.(*jsonschema.Schema)
	if !ok {
		return
	}
	for name, inner := range object {
		if _, known := sch.Properties[name]; !known {
			fillDefaults(more, inner, depth+1)
		}
	}
}

func defaultOf(sch *jsonschema.Schema, depth int) (any, bool) {
	if sch == nil || depth > maxDepth {
		return nil, false
	}
	if sch.Default != nil {
		return clone(*sch.Default), true
	}
	return defaultOf(sch.Ref, depth+1)
}

func fillArray(sch *jsonschema.Schema, array []any, depth int) {
	for i, inner := range array {
		fillDefaults(itemSchema(sch, i), inner, depth+1)
	}
}

func itemSchema(sch *jsonschema.Schema, i int) *jsonschema.Schema {
	if i < len(sch.PrefixItems) {
		return sch.PrefixItems[i]
	}
	if sch.Items2020 != nil {
		return sch.Items2020
	}
	switch items := sch.Items.(type) {
	case *jsonschema.Schema:
		return items
	case []*jsonschema.Schema:
		if i < len(items) {
			return items[i]
		}
	}
	return nil
}

func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, inner := range v {
			out[name] = clone(inner)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, inner := range v {
			out[i] = clone(inner)
		}
		return out
	}
	return v
}
