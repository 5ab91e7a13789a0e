package manifest

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"sextant/backend/tools/panels/manifest/loose"
)

// shape is what a value of a manifest may be. The judge walks a manifest along the shapes of
// spec.go, and the published JSON Schema is written from the same shapes.
type shape struct {
	// kind is the kind of value; open takes any value (kind Null) or any object or list.
	kind loose.Kind
	open bool
	// whole makes a Number a whole one. low and high bound a number, the characters of a
	// string or the items of a list, where high is not 0.
	whole     bool
	low, high int
	// names are the only strings allowed; own are further ones for panels inside Sextant.
	names []string
	own   []string
	// pattern is for the schema alone: the judge has a rule that says more than "does not match".
	pattern string
	members []member
	// strict makes an unknown member an error.
	strict bool
	items  *shape
	// values are the members of an object whose names the author chooses.
	values *shape
	// either are alternatives, told apart by their kind; the first is the usual one.
	either []*shape
	// needs are the members that one of names in the member "kind" asks for.
	needs map[string]string
	// says is the shape as a phrase where the kind's is not enough; about is its meaning.
	says, about string
	// sample is a right value as JSON, for the mended example and the schema's examples.
	sample string
}

// member is a named part of an object. also are names that others give it.
type member struct {
	name  string
	need  bool
	also  []string
	shape *shape
}

func (s *shape) phrase() string {
	if s.says != "" {
		return s.says
	}
	if len(s.either) > 0 {
		var all []string
		for _, e := range s.either {
			all = append(all, e.phrase())
		}
		return strings.Join(all, " or ")
	}
	switch {
	case len(s.names) > 1:
		return strings.Join(s.names[:len(s.names)-1], ", ") + " or " + s.names[len(s.names)-1]
	case s.kind == loose.Number && s.whole:
		return "a whole number"
	case s.kind == loose.Array && s.items != nil && s.items.kind == loose.String:
		return "a list of strings"
	}
	return s.kind.String()
}

func (s *shape) member(name string) *member {
	if i := slices.IndexFunc(s.members, func(m member) bool { return m.name == name }); i >= 0 {
		return &s.members[i]
	}
	return nil
}

func (s *shape) memberNames() []string {
	names := make([]string, 0, len(s.members))
	for _, m := range s.members {
		names = append(names, m.name)
	}
	return names
}

// of is the shape among alternatives that a value of this kind has, nil when none fits.
func (s *shape) of(kind loose.Kind) *shape {
	if s.kind == loose.Null && s.open || len(s.either) == 0 && s.kind == kind {
		return s
	}
	for _, e := range s.either {
		if e.kind == kind {
			return e
		}
	}
	return nil
}

// number is n as a whole number; ok is false when it is none that a manifest can mean.
func number(n *loose.Node) (v int, ok bool) {
	f, err := strconv.ParseFloat(n.Text, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<40 {
		return 0, false
	}
	return int(f), true
}

// found is a value as a phrase for a problem.
func found(n *loose.Node) string {
	switch n.Kind {
	case loose.String:
		if n.Text == "" {
			return "an empty string"
		}
		return "the string " + strconv.Quote(Cut(n.Text, 60))
	case loose.Number:
		return "the number " + Cut(n.Text, 30)
	case loose.Bool, loose.Null:
		return n.Text
	case loose.Array:
		if len(n.Items) == 0 {
			return "an empty list"
		}
	case loose.Object:
		if len(n.Members) == 0 {
			return "an empty object"
		}
	}
	return n.Kind.String()
}

// coerced is n as the shape wants it, as JSON: the same thing said right where that can be
// seen, else the shape's sample.
func (s *shape) coerced(n *loose.Node) string {
	if len(s.either) > 0 {
		return s.either[0].coerced(n)
	}
	if s.sample != "" && s.kind == loose.Object {
		return s.sample
	}
	switch s.kind {
	case loose.String:
		if n.Kind == loose.Number || n.Kind == loose.Bool {
			return s.fitting(n.Text)
		}
		if n.Kind == loose.Array && len(n.Items) > 0 && n.Items[0].Kind == loose.String {
			return s.fitting(n.Items[0].Text)
		}
	case loose.Number:
		text := strings.TrimSpace(n.Text)
		digits := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyz ")
		if v, err := strconv.ParseFloat(strings.NewReplacer(",", "", "_", "").Replace(digits), 64); err == nil && math.Abs(v) < 1<<40 {
			return strconv.Itoa(s.clamp(int(v)))
		}
	case loose.Bool:
		text := strings.ToLower(n.Text)
		return strconv.FormatBool(slices.Contains([]string{"true", "yes", "on", "1"}, text))
	case loose.Array:
		if s.items != nil && (n.Kind == s.items.kind || s.items.kind == loose.String && n.Kind != loose.Object) {
			return s.list(n)
		}
	}
	return s.example()
}

// list makes a list of one value; a string with commas or spaces becomes several.
func (s *shape) list(n *loose.Node) string {
	if n.Kind != loose.String {
		if s.items.kind == loose.String {
			return s.example()
		}
		return "[" + n.JSON() + "]"
	}
	var parts []string
	for _, part := range strings.FieldsFunc(n.Text, func(c rune) bool { return c == ',' || c == ' ' || c == ';' }) {
		parts = append(parts, s.items.fitting(part))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// fitting is text as a JSON string within the shape's bounds.
func (s *shape) fitting(text string) string {
	if len(s.names) > 0 && !slices.Contains(s.names, text) {
		if near := nearestOf(text, s.names); near != "" {
			return loose.Quote(near)
		}
		return loose.Quote(s.names[0])
	}
	if s.high > 0 && utf8.RuneCountInString(text) > s.high {
		runes := []rune(text)
		text = strings.TrimSpace(string(runes[:s.high]))
	}
	if strings.TrimSpace(text) == "" {
		return s.example()
	}
	return loose.Quote(text)
}

func (s *shape) clamp(v int) int {
	if s.high != 0 {
		v = min(v, s.high)
	}
	return max(v, s.low)
}

func (s *shape) example() string {
	switch {
	case s.sample != "":
		return s.sample
	case len(s.either) > 0:
		return s.either[0].example()
	case len(s.names) > 0:
		return loose.Quote(s.names[0])
	}
	return [...]string{"null", "true", "1", `"…"`, "[]", "{}"}[s.kind]
}
