// Package shape says what a panel's manifest may hold: Manifest is the form of version 1, from
// which JSONSchema writes the published schema and along which package manifest judges. The
// rules for names stand here too.
//
// A shape also knows what was probably meant: Coerced, Fitting and Example make a right value
// out of a wrong one, for an example to read and never to act on.
package shape

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"sextant/backend/calls/nearest"
	"sextant/backend/tools/panels/manifest/loose"
	"sextant/shared/clip"
)

// Shape is what a value of a manifest may be.
type Shape struct {
	// Kind is the kind of value; Open takes any value (Kind Null) or any object or list.
	Kind loose.Kind
	Open bool
	// Whole makes a Number a whole one. Low and High bound a number, the characters of a
	// string or the items of a list, where High is not 0.
	Whole     bool
	Low, High int
	// Names are the only strings allowed; Own are further ones for panels inside Sextant.
	Names []string
	Own   []string
	// pattern is for the schema alone: the judge has a rule that says more than "does not match".
	pattern string
	Members []Member
	// Strict makes an unknown member an error.
	Strict bool
	Items  *Shape
	// Values are the members of an object whose names the author chooses.
	Values *Shape
	// Either are alternatives, told apart by their kind; the first is the usual one.
	Either []*Shape
	// Needs are the members that one of the names in the member "kind" asks for; "a|b" is
	// satisfied by either.
	Needs map[string]string
	// says is the shape as a phrase where the kind's is not enough; about is its meaning.
	says, about string
	// Sample is a right value as JSON, for the mended example and the schema's examples.
	Sample string
}

// Member is a named part of an object. Also are names that others give it.
type Member struct {
	Name  string
	Need  bool
	Also  []string
	Shape *Shape
}

// Phrase is the shape in words, for "expected …".
func (s *Shape) Phrase() string {
	if s.says != "" {
		return s.says
	}
	if len(s.Either) > 0 {
		var all []string
		for _, e := range s.Either {
			all = append(all, e.Phrase())
		}
		return strings.Join(all, " or ")
	}
	switch {
	case len(s.Names) > 1:
		return strings.Join(s.Names[:len(s.Names)-1], ", ") + " or " + s.Names[len(s.Names)-1]
	case s.Kind == loose.Number && s.Whole:
		return "a whole number"
	case s.Kind == loose.Array && s.Items != nil && s.Items.Kind == loose.String:
		return "a list of strings"
	}
	return s.Kind.String()
}

// Member is the member called name, nil when there is none.
func (s *Shape) Member(name string) *Member {
	if i := slices.IndexFunc(s.Members, func(m Member) bool { return m.Name == name }); i >= 0 {
		return &s.Members[i]
	}
	return nil
}

// MemberNames are the names of all members in their order.
func (s *Shape) MemberNames() []string {
	names := make([]string, 0, len(s.Members))
	for _, m := range s.Members {
		names = append(names, m.Name)
	}
	return names
}

// Of is the shape among alternatives that a value of this kind has, nil when none fits.
func (s *Shape) Of(kind loose.Kind) *Shape {
	if s.Kind == loose.Null && s.Open || len(s.Either) == 0 && s.Kind == kind {
		return s
	}
	for _, e := range s.Either {
		if e.Kind == kind {
			return e
		}
	}
	return nil
}

// Number is n as a whole number; ok is false when it is none that a manifest can mean.
func Number(n *loose.Node) (v int, ok bool) {
	f, err := strconv.ParseFloat(n.Text, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<40 {
		return 0, false
	}
	return int(f), true
}

// Found is a value as a phrase for a problem.
func Found(n *loose.Node) string {
	switch n.Kind {
	case loose.String:
		if n.Text == "" {
			return "an empty string"
		}
		return "the string " + strconv.Quote(clip.Runes(n.Text, 60))
	case loose.Number:
		return "the number " + clip.Runes(n.Text, 30)
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

// Coerced is n as the shape wants it, as JSON: the same thing said right where that can be
// seen, else the shape's sample.
func (s *Shape) Coerced(n *loose.Node) string {
	if len(s.Either) > 0 {
		return s.Either[0].Coerced(n)
	}
	if s.Sample != "" && s.Kind == loose.Object {
		return s.Sample
	}
	switch s.Kind {
	case loose.String:
		if n.Kind == loose.Number || n.Kind == loose.Bool {
			return s.Fitting(n.Text)
		}
		if n.Kind == loose.Array && len(n.Items) > 0 && n.Items[0].Kind == loose.String {
			return s.Fitting(n.Items[0].Text)
		}
	case loose.Number:
		text := strings.TrimSpace(n.Text)
		digits := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyz ")
		if v, err := strconv.ParseFloat(strings.NewReplacer(",", "", "_", "").Replace(digits), 64); err == nil && math.Abs(v) < 1<<40 {
			return strconv.Itoa(s.Clamp(int(v)))
		}
	case loose.Bool:
		text := strings.ToLower(n.Text)
		return strconv.FormatBool(slices.Contains([]string{"true", "yes", "on", "1"}, text))
	case loose.Array:
		if s.Items != nil && (n.Kind == s.Items.Kind || s.Items.Kind == loose.String && n.Kind != loose.Object) {
			return s.list(n)
		}
	}
	return s.Example()
}

// list makes a list of one value; a string with commas or spaces becomes several.
func (s *Shape) list(n *loose.Node) string {
	if n.Kind != loose.String {
		if s.Items.Kind == loose.String {
			return s.Example()
		}
		return "[" + n.JSON() + "]"
	}
	var parts []string
	for _, part := range strings.FieldsFunc(n.Text, func(c rune) bool { return c == ',' || c == ' ' || c == ';' }) {
		parts = append(parts, s.Items.Fitting(part))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// Fitting is text as a JSON string within the shape's bounds.
func (s *Shape) Fitting(text string) string {
	if len(s.Names) > 0 && !slices.Contains(s.Names, text) {
		if near := nearest.Name(text, s.Names); near != "" {
			return loose.Quote(near)
		}
		return loose.Quote(s.Names[0])
	}
	if s.High > 0 && utf8.RuneCountInString(text) > s.High {
		runes := []rune(text)
		text = strings.TrimSpace(string(runes[:s.High]))
	}
	if strings.TrimSpace(text) == "" {
		return s.Example()
	}
	return loose.Quote(text)
}

// Clamp is v within the shape's bounds.
func (s *Shape) Clamp(v int) int {
	if s.High != 0 {
		v = min(v, s.High)
	}
	return max(v, s.Low)
}

// Example is a right value as JSON.
func (s *Shape) Example() string {
	switch {
	case s.Sample != "":
		return s.Sample
	case len(s.Either) > 0:
		return s.Either[0].Example()
	case len(s.Names) > 0:
		return loose.Quote(s.Names[0])
	}
	return [...]string{"null", "true", "1", `"…"`, "[]", "{}"}[s.Kind]
}

// Nearest is the member that name was probably meant to be, of those that object does not
// have; "" when none looks like it.
func (s *Shape) Nearest(name string, object *loose.Node) string {
	var free []string
	for _, m := range s.Members {
		if object.Get(m.Name) == nil {
			free = append(free, m.Name)
			if slices.ContainsFunc(m.Also, func(other string) bool { return strings.EqualFold(other, name) }) {
				return m.Name
			}
		}
	}
	return nearest.Name(name, free)
}

// At is the shape of the object at a pointer, given as its unescaped parts; nil for one that
// holds anything.
func At(parts []string) *Shape {
	s := Manifest()
	for _, part := range parts {
		if s == nil {
			return nil
		}
		if m := s.Member(part); m != nil {
			s = m.Shape
		} else if s.Values != nil {
			s = s.Values
		} else {
			s = s.Items
		}
	}
	return s
}
