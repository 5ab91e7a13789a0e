package toolcalls

import (
	"slices"
	"strings"
)

func (n *schema) typeOf(deep int) string {
	n = n.resolve(0)
	if deep > 6 {
		return "unknown"
	}
	var out []string
	add := func(s string) {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	switch {
	case n.Const != nil:
		add(encoded(*n.Const))
	case len(n.Enum) > 0:
		for _, v := range n.Enum {
			add(encoded(v))
		}
	case len(n.AnyOf) > 0 || len(n.OneOf) > 0:
		for _, s := range append(slices.Clone(n.AnyOf), n.OneOf...) {
			add(s.typeOf(deep + 1))
		}
	case len(n.AllOf) > 0:
		var parts []string
		for _, s := range n.AllOf {
			parts = append(parts, grouped(s.typeOf(deep+1), "|"))
		}
		if len(n.Properties) > 0 {
			parts = append(parts, n.object(deep))
		}
		add(strings.Join(parts, " & "))
	default:
		for _, name := range n.types() {
			add(n.named(name, deep))
		}
		if len(out) == 0 && len(n.Properties) > 0 {
			add(n.object(deep))
		}
	}
	if len(out) == 0 {
		add("unknown")
	}
	if n.Nullable {
		add("null")
	}
	return strings.Join(out, " | ")
}

func (n *schema) named(name string, deep int) string {
	switch name {
	case "integer":
		return "number"
	case "string", "number", "boolean", "null":
		return name
	case "array":
		return n.list(deep)
	case "object":
		return n.object(deep)
	}
	return "unknown"
}

func (n *schema) list(deep int) string {
	if len(n.PrefixItems) > 0 {
		var parts []string
		for _, s := range n.PrefixItems {
			parts = append(parts, s.typeOf(deep+1))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	if len(n.Items) == 0 {
		return "unknown[]"
	}
	return grouped(n.child(n.Items).typeOf(deep+1), "|&") + "[]"
}

func grouped(t, operators string) string {
	if strings.ContainsAny(t, operators) && !strings.HasPrefix(t, "{") {
		return "(" + t + ")"
	}
	return t
}

// object returns the properties as a TypeScript object type, with their descriptions as comments.
func (n *schema) object(deep int) string {
	if len(n.Properties) == 0 {
		if len(n.Extra) > 0 && n.Extra[0] == '{' {
			return "Record<string, " + n.child(n.Extra).typeOf(deep+1) + ">"
		}
		return "object"
	}
	var parts []string
	for _, f := range n.fields() {
		part := property(f, deep)
		if comment := f.comment(); comment != "" {
			part += " /* " + comment + " */"
		}
		parts = append(parts, part)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func property(f field, deep int) string {
	name := f.name
	if !identifier(name) {
		name = encoded(name)
	}
	if !f.required {
		name += "?"
	}
	return name + ": " + f.schema.typeOf(deep+1)
}

func identifier(s string) bool {
	r := reader{src: []byte(s)}
	return s != "" && r.ident() == s
}

func (f field) comment() string {
	n := f.schema.resolve(0)
	comment := n.Description
	if comment == "" {
		comment = f.schema.Description
	}
	parts := []string{oneLine(comment)}
	if slices.Contains(n.types(), "integer") && n.Minimum == "" && n.Maximum == "" && comment == "" {
		parts = append(parts, "integer")
	}
	switch {
	case n.Minimum != "" && n.Maximum != "":
		parts = append(parts, n.Minimum.String()+" to "+n.Maximum.String())
	case n.Minimum != "":
		parts = append(parts, "at least "+n.Minimum.String())
	case n.Maximum != "":
		parts = append(parts, "at most "+n.Maximum.String())
	}
	if n.Format != "" {
		parts = append(parts, oneLine(n.Format))
	}
	if len(n.Default) > 0 {
		parts = append(parts, "default "+oneLine(flat(n.Default)))
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; ")
}

// oneLine joins the lines of s and keeps it from ending the comment that it is put in.
func oneLine(s string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "*/", "* /")
}

func (t *tool) declare() string {
	var b strings.Builder
	b.WriteString("/** " + oneLine(t.def.Description))
	var parts []string
	for _, f := range t.fields() {
		parts = append(parts, property(f, 0))
		if comment := f.comment(); comment != "" {
			b.WriteString("\n * @param " + oneLine(f.name) + " " + comment)
		}
	}
	b.WriteString(" */\n" + t.def.Name)
	if len(parts) == 0 {
		return b.String() + "()"
	}
	return b.String() + "({" + strings.Join(parts, ", ") + "})"
}
