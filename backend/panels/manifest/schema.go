package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"github.com/tailscale/hujson"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"sextant/backend/pipeline/nearest"
	"sextant/backend/toolprovider/jsonpos"
	"sextant/docs"
	"sextant/shared/event"
	"sextant/shared/excerpt"
)

// SchemaName is the name under which the JSON Schema of the manifest is served, in the folder /schemas.
const SchemaName = "panel-manifest.v1.json"

// JSONSchema returns the JSON Schema (draft 2020-12) of manifest version 1. Parse validates with it.
func JSONSchema() []byte { return docs.PanelManifestSchema() }

type node struct {
	Type       oneOrMore        `json:"type"`
	Enum       []string         `json:"enum"`
	Properties map[string]*node `json:"properties"`
	Items      *node            `json:"items"`
	Additional additional       `json:"additionalProperties"`
	Required   []string         `json:"required"`
	Minimum    int              `json:"minimum"`
	Maximum    int              `json:"maximum"`
	// Aliases contains wrong names for the member, such as those of other formats. They lead to a suggestion.
	Aliases  []string          `json:"x-aliases"`
	Examples []json.RawMessage `json:"examples"`
}

type oneOrMore []string

// UnmarshalJSON implements json.Unmarshaler for a string and a list.
func (o *oneOrMore) UnmarshalJSON(b []byte) error {
	if b[0] == '[' {
		return json.Unmarshal(b, (*[]string)(o))
	}
	*o = oneOrMore{""}
	return json.Unmarshal(b, &(*o)[0])
}

type additional struct{ *node }

// UnmarshalJSON implements json.Unmarshaler for false and a schema.
func (a *additional) UnmarshalJSON(b []byte) error {
	if string(b) == "false" {
		return nil
	}
	return json.Unmarshal(b, &a.node)
}

type schema struct {
	compiled *jsonschema.Schema
	root     *node
}

var loadSchema = sync.OnceValue(func() schema {
	text := JSONSchema()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	compiler := jsonschema.NewCompiler()
	const location = "urn:sextant:panel-manifest:1"
	var s schema
	err = errors.Join(err, compiler.AddResource(location, document), json.Unmarshal(text, &s.root))
	if err == nil {
		s.compiled, err = compiler.Compile(location)
	}
	if err != nil {
		panic("the embedded schema of panel manifests is broken: " + err.Error())
	}
	return s
})

func (n *node) member(name string) *node {
	if known := n.Properties[name]; known != nil {
		return known
	}
	return n.Additional.node
}

func (n *node) at(pointer string) *node {
	for _, part := range jsonpos.SplitPointer(pointer) {
		if _, err := strconv.Atoi(part); err == nil && n.Items != nil {
			n = n.Items
		} else {
			n = n.member(part)
		}
		if n == nil {
			return nil
		}
	}
	return n
}

func (n *node) open() bool { return len(n.Properties) == 0 && n.Additional.node == nil }

func (n *node) names() []string { return slices.Sorted(maps.Keys(n.Properties)) }

func (n *node) closest(name string) string {
	for known, member := range n.Properties {
		if slices.ContainsFunc(member.Aliases, func(alias string) bool { return strings.EqualFold(alias, name) }) {
			return known
		}
	}
	return nearest.Name(name, n.names())
}

// choices returns the allowed strings without the kind of page that only built-in panels can have.
func (n *node) choices() []string {
	return slices.DeleteFunc(slices.Clone(n.Enum), func(name string) bool { return name == builtinPage })
}

func (n *node) phrase() string {
	if choices := n.choices(); len(choices) > 1 {
		return strings.Join(choices[:len(choices)-1], ", ") + " or " + choices[len(choices)-1]
	}
	words := make([]string, len(n.Type))
	for i, name := range n.Type {
		words[i] = typeNames[name]
		if name == "array" && n.Items != nil && len(n.Items.Type) == 1 {
			words[i] = "a list of " + n.Items.Type[0] + "s"
		}
	}
	return strings.Join(words, " or ")
}

var typeNames = map[string]string{
	"string": "a string", "number": "a number", "integer": "a whole number", "boolean": "true or false",
	"array":  "a list",
	"object": "an object",
}

func (n *node) example() string {
	switch {
	case len(n.Examples) > 0:
		return string(n.Examples[0])
	case len(n.Enum) > 0:
		return quote(n.Enum[0])
	}
	return map[string]string{
		"integer": "1", "boolean": "true", "array": "[]", "object": "{}",
		"string": `"…"`,
	}[n.Type[0]]
}

// convert returns the JSON in raw as JSON of this schema's first type, or "" if the conversion is not clear. As a
// boolean, everything but "true", "yes", "on" and "1" is false.
func (n *node) convert(raw string) string {
	text := strings.Trim(raw, `"`)
	switch first := raw[0]; n.Type[0] {
	case "string":
		if first != '{' && first != '[' {
			return quote(text)
		}
	case "integer":
		if v, err := strconv.ParseFloat(text, 64); err == nil {
			return strconv.Itoa(int(max(float64(n.Minimum), min(v, float64(n.Maximum)))))
		}
	case "boolean":
		return strconv.FormatBool(slices.Contains([]string{"true", "yes", "on", "1"}, strings.ToLower(text)))
	case "array":
		if first == '"' && slices.Contains(n.Items.Type, "string") || first == '{' &&
			slices.Contains(n.Items.Type, "object") {
			return "[" + raw + "]"
		}
	}
	return ""
}

// validate reports what violates the schema, except for patterns, which it collects for checkPatterns. It reports null
// and unknown members itself and validates the text without them.
func (c *checker) validate() {
	c.inspect("", c.schema.root)
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(c.pruned()))
	if err == nil {
		err = c.schema.compiled.Validate(value)
	}
	var failure *jsonschema.ValidationError
	if errors.As(err, &failure) {
		c.refused(failure)
	} else if err != nil {
		c.fail("", Problem{Expected: "a manifest", Found: err.Error(), Text: "reading the manifest: " + err.Error()},
			c.minimal())
	}
	for _, pointer := range slices.Sorted(maps.Keys(c.nulls)) {
		if !c.unusable(pointer) {
			c.warn(pointer, c.piece(pointer, c.example(pointer)), "%s is null, which counts as left out",
				label(pointer))
		}
	}
}

// inspect collects null members, and reports unknown members of objects with known members only.
func (c *checker) inspect(pointer string, n *node) {
	raw := c.index.Raw(pointer)
	if raw[0] == '[' && n.Items != nil {
		for i := 0; ; i++ {
			at := jsonpos.Pointer(pointer, strconv.Itoa(i))
			if _, ok := c.index.Values[at]; !ok {
				return
			}
			c.inspect(at, n.Items)
		}
	}
	if raw[0] != '{' || n.open() {
		return
	}
	for _, name := range c.index.Order[pointer] {
		at := jsonpos.Pointer(pointer, name)
		switch member := n.member(name); {
		case member == nil:
			c.unknown(pointer, name, n)
		case c.index.Raw(at) == "null" && len(member.Type) > 0:
			c.nulls[at] = true
		default:
			c.inspect(at, member)
		}
	}
}

// unknown reports a member that the schema does not know. An unknown permission is an error instead of a warning,
// because its author expects it to be granted.
func (c *checker) unknown(parent, name string, n *node) {
	pointer := jsonpos.Pointer(parent, name)
	p := Problem{
		Pointer: pointer, Severity: event.SeverityWarning, Expected: "one of " + strings.Join(n.names(), ", "),
		Found: strconv.Quote(excerpt.TruncateRunes(name, 60)), Nearest: n.closest(name),
	}
	p.Text = p.Found + " is not known and has no effect"
	if parent == "/permissions" {
		p.Severity = event.SeverityError
		p.Text = fmt.Sprintf("permission %s is not known; known are %s", p.Found, strings.Join(n.names(), ", "))
		p.Fix = `"permissions": ` + c.example(parent)
	}
	if p.Nearest != "" {
		p.Text += fmt.Sprintf("; did you mean %q", p.Nearest)
		p.Fix = excerpt.TruncateRunes(quote(p.Nearest)+": "+c.index.Raw(pointer), 2000)
	}
	c.report(c.index.Keys[pointer], p)
}

func (c *checker) refused(e *jsonschema.ValidationError) {
	for _, cause := range e.Causes {
		c.refused(cause)
	}
	if len(e.Causes) > 0 {
		return
	}
	pointer := ""
	for _, part := range e.InstanceLocation {
		pointer = jsonpos.Pointer(pointer, part)
	}
	n, raw := c.schema.root.at(pointer), c.index.Raw(pointer)
	switch k := e.ErrorKind.(type) {
	case *kind.Pattern:
		c.patterns = append(c.patterns, pointer)
	case *kind.Required:
		for _, name := range k.Missing {
			c.required(pointer, name)
		}
	case *kind.Type:
		c.fail(pointer, Problem{Expected: n.phrase()}, c.converted(pointer, n))
	case *kind.Enum:
		found, choices := fmt.Sprint(k.Got), n.choices()
		near := nearest.Name(found, choices)
		p := Problem{Expected: n.phrase(), Nearest: near}
		p.Text = fmt.Sprintf("%s %s is not known; it is %s", label(pointer),
			strconv.Quote(excerpt.TruncateRunes(found, 40)),
			p.Expected)
		if near == "" {
			near = choices[0]
		}
		c.fail(pointer, p, quote(near))
	case *kind.Minimum, *kind.Maximum:
		p := Problem{Expected: fmt.Sprintf("%d to %d", n.Minimum, n.Maximum)}
		p.Text = fmt.Sprintf("%s is %s; it may be %s", label(pointer), raw, p.Expected)
		if pointer == "/manifest_version" {
			p.Text = fmt.Sprintf("manifest_version %s is not known; this program reads version 1", raw)
		}
		c.fail(pointer, p, n.convert(raw))
	case *kind.MaxLength:
		p := Problem{Expected: fmt.Sprintf("at most %d characters", k.Want), Found: strconv.Itoa(k.Got)}
		p.Text = fmt.Sprintf("%s is longer than %d characters", label(pointer), k.Want)
		c.fail(pointer, p, quote(string([]rune(hujson.Literal(raw).String())[:k.Want])))
	case *kind.MaxItems:
		p := Problem{Expected: fmt.Sprintf("at most %d items", k.Want), Found: strconv.Itoa(k.Got)}
		p.Text = fmt.Sprintf("%s has %d items; there may be %d", label(pointer), k.Got, k.Want)
		c.fail(pointer, p, c.example(pointer))
		last := &c.problems[len(c.problems)-1]
		last.Line, last.Column = c.index.PositionOf(jsonpos.Pointer(pointer, strconv.Itoa(k.Want)))
	default:
		why := e.ErrorKind.LocalizedString(message.NewPrinter(language.English))
		c.fail(pointer, Problem{Expected: why, Text: label(pointer) + ": " + why}, c.example(pointer))
	}
}

func (c *checker) required(parent, name string) {
	pointer := jsonpos.Pointer(parent, name)
	value := c.example(pointer)
	p := Problem{Expected: c.schema.root.at(pointer).phrase()}
	tool := strings.HasPrefix(parent, "/tools/")
	switch {
	case pointer == "/tools":
		p.Text = `tools is missing; write "tools": [] for a panel without tools`
	case parent == "/ui" || parent == "/backend":
		p.Text = fmt.Sprintf("%s.%s is missing, such as %s", label(parent), name, value)
	case tool && name == "description":
		p.Text = fmt.Sprintf("%s has no description, by which the assistant chooses tools", c.toolLabel(parent))
	case tool && name == "endpoint":
		p.Text = fmt.Sprintf("%s has no endpoint, such as %s", c.toolLabel(parent), value)
	default:
		p.Text = name + " is missing"
	}
	c.fail(pointer, p, value)
}

func (c *checker) converted(pointer string, n *node) string {
	if value := n.convert(c.index.Raw(pointer)); value != "" && n != c.schema.root {
		return value
	}
	return c.example(pointer)
}

func (c *checker) example(pointer string) string {
	n := c.schema.root.at(pointer)
	if n == c.schema.root {
		return c.minimal()
	}
	id := c.id()
	return strings.NewReplacer("field-notes", id, "field_notes", slug(id, '_', 40), "Field notes",
		titled(id)).Replace(n.example())
}

// checkPatterns reports strings that do not match a pattern of the schema, unless another check has reported them.
func (c *checker) checkPatterns() {
	for _, pointer := range c.patterns {
		if !c.unusable(pointer) {
			c.fail(pointer, Problem{Expected: "text such as " + c.example(pointer)}, c.example(pointer))
		}
	}
}
