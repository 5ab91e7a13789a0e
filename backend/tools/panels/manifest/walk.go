package manifest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"sextant/backend/calls/nearest"
	"sextant/backend/tools/panels/manifest/loose"
	"sextant/backend/tools/panels/manifest/shape"
	"sextant/shared/clip"
	"sextant/shared/event"
)

// walk judges n along its shape: kinds, names, bounds, members that are missing or unknown.
func (j *judge) walk(pointer string, n *loose.Node, s *shape.Shape) {
	if s.Open && s.Kind == loose.Null {
		return
	}
	fits := s.Of(n.Kind)
	switch {
	case n.Kind == loose.Null:
		j.warn(pointer, piece(j.places[pointer], s.Example()), "%s is null, which counts as left out", last(pointer))
		j.bad[pointer] = true
	case fits == nil:
		j.wrong(pointer, Problem{Expected: s.Phrase()}, j.coerced(pointer, s, n))
	case n.Kind == loose.Object:
		j.object(pointer, n, fits)
	case n.Kind == loose.Array:
		j.list(pointer, n, fits)
	default:
		j.scalar(pointer, n, fits)
	}
}

func (j *judge) scalar(pointer string, n *loose.Node, s *shape.Shape) {
	switch {
	case n.Kind == loose.Number:
		v, ok := shape.Number(n)
		if !ok {
			j.wrong(pointer, Problem{Expected: s.Phrase()}, s.Coerced(n))
		} else if s.High != 0 && (v < s.Low || v > s.High) {
			says := fmt.Sprintf("%s is %d; it may be %d to %d", last(pointer), v, s.Low, s.High)
			if pointer == "/manifest_version" && v > 1 {
				says = fmt.Sprintf("manifest_version %d is newer than this program knows; it reads version 1", v)
			}
			j.wrong(pointer, Problem{Expected: fmt.Sprintf("%d to %d", s.Low, s.High), Text: says}, strconv.Itoa(s.Clamp(v)))
		}
	case n.Kind == loose.String && len(s.Names) > 0:
		if slices.Contains(s.Names, n.Text) || slices.Contains(s.Own, n.Text) {
			return
		}
		known := s.Phrase()
		p := Problem{Expected: known, Nearest: nearest.Name(n.Text, s.Names)}
		p.Text = fmt.Sprintf("%s %s is not known; it is %s", last(pointer), strconv.Quote(clip.Runes(n.Text, 40)), known)
		j.wrong(pointer, p, s.Fitting(n.Text))
	case n.Kind == loose.String && s.High > 0 && utf8.RuneCountInString(n.Text) > s.High:
		j.wrong(pointer, Problem{
			Expected: fmt.Sprintf("at most %d characters", s.High), Found: fmt.Sprintf("%d", utf8.RuneCountInString(n.Text)),
			Text: fmt.Sprintf("%s is longer than %d characters", last(pointer), s.High),
		}, s.Fitting(n.Text))
	}
}

func (j *judge) list(pointer string, n *loose.Node, s *shape.Shape) {
	for i, item := range n.Items {
		j.places[child(pointer, strconv.Itoa(i))] = place{node: item, parent: n}
	}
	if s.High > 0 && len(n.Items) > s.High {
		p := Problem{
			Expected: fmt.Sprintf("at most %d", s.High), Found: strconv.Itoa(len(n.Items)),
			Text: fmt.Sprintf("%d items in %s are too many; there may be %d", len(n.Items), last(pointer), s.High),
		}
		rest := loose.Edit{Start: n.Items[s.High-1].End, End: n.Items[len(n.Items)-1].End}
		p.Pointer, p.Fix = pointer, piece(j.places[pointer], "["+clip.Runes(n.Items[0].JSON(), 200)+"]")
		j.report(n.Items[s.High].Start, p, rest)
		j.bad[pointer] = true
		return
	}
	for i, item := range n.Items {
		at := child(pointer, strconv.Itoa(i))
		if s.Items == nil {
			continue
		}
		if item.Kind == loose.Null && s.Items.Of(loose.Null) == nil {
			j.wrong(at, Problem{Expected: s.Items.Phrase()}, s.Items.Example())
			continue
		}
		j.walk(at, item, s.Items)
	}
}

func (j *judge) object(pointer string, n *loose.Node, s *shape.Shape) {
	seen := map[string]int{}
	for i := range n.Members {
		m := &n.Members[i]
		at := child(pointer, m.Name)
		if first, twice := seen[m.Name]; twice {
			j.twice(at, n, &n.Members[first], m)
		}
		seen[m.Name] = i
		j.places[at] = place{node: m.Value, parent: n, member: m}
	}
	if s.Open {
		return
	}
	for i, m := range n.Members {
		at := child(pointer, m.Name)
		if seen[m.Name] != i {
			continue
		}
		switch known := s.Member(m.Name); {
		case known != nil && known.Need && m.Value.Kind == loose.Null:
			// It is told as missing below.
		case known != nil:
			j.walk(at, m.Value, known.Shape)
		case s.Values != nil:
			j.walk(at, m.Value, s.Values)
		default:
			j.unknown(at, &n.Members[i], s, n)
		}
	}
	for _, m := range s.Members {
		at := child(pointer, m.Name)
		if value := n.Get(m.Name); m.Need && (value == nil || value.Kind == loose.Null) {
			j.lacking(at, m)
		}
	}
	if kind := n.Get("kind"); kind != nil && kind.Kind == loose.String {
		j.needed(pointer, n, s, strings.Split(s.Needs[kind.Text], "|"))
	}
}

// needed wants one of the members called names.
func (j *judge) needed(pointer string, n *loose.Node, s *shape.Shape, names []string) {
	for _, name := range names {
		if value := n.Get(name); name == "" || value != nil && value.Kind != loose.Null {
			return
		}
	}
	j.lacking(child(pointer, names[0]), *s.Member(names[0]))
}

// lacking tells of a member that is needed and not there.
func (j *judge) lacking(pointer string, m shape.Member) {
	if j.cutOff {
		// What is not there may have stood in the part that is gone.
		j.bad[pointer] = true
		return
	}
	value := j.sensible(pointer, m.Shape)
	full := strings.TrimPrefix(strings.ReplaceAll(pointer, "/", "."), ".")
	p := Problem{Expected: m.Shape.Phrase(), Text: fmt.Sprintf("%s is missing", last(pointer))}
	switch {
	case pointer == "/tools":
		p.Text = `tools is missing; write "tools": [] for a panel without tools`
	case strings.HasPrefix(pointer, "/ui/"), strings.HasPrefix(pointer, "/backend/"):
		p.Text = fmt.Sprintf("%s is missing, such as %s", full, value)
	case strings.HasPrefix(pointer, "/tools/") && m.Name == "description":
		p.Text = fmt.Sprintf("%s has no description; the assistant chooses tools by it", j.toolAt(pointer))
	case strings.HasPrefix(pointer, "/tools/") && m.Name == "endpoint":
		p.Text = fmt.Sprintf("%s has no endpoint, such as %s", j.toolAt(pointer), value)
	}
	if at, null := j.places[pointer]; null {
		p.Pointer, p.Found, p.Fix = pointer, "null", piece(at, value)
		j.report(at.node.Start, p, loose.Edit{Start: at.node.Start, End: at.node.End, Text: value})
	} else {
		j.missing(pointer, p, value)
	}
	j.bad[pointer] = true
}

// twice tells that a name stands a second time; the last one counts.
func (j *judge) twice(pointer string, n *loose.Node, first, second *loose.Member) {
	p := Problem{
		Pointer: pointer, Expected: "each name once", Found: "a second " + strconv.Quote(clip.Runes(second.Name, 60)),
		Text: fmt.Sprintf("%s stands twice in its object", strconv.Quote(clip.Runes(second.Name, 60))),
		Fix:  clip.Runes(loose.Quote(second.Name)+": "+indented(second.Value.JSON()), 2000),
	}
	j.places[pointer] = place{node: first.Value, parent: n, member: first}
	j.report(second.Start, p, j.removal(pointer)...)
}

// unknown tells of a member that has no meaning.
func (j *judge) unknown(pointer string, m *loose.Member, s *shape.Shape, object *loose.Node) {
	known := s.MemberNames()
	near := s.Nearest(m.Name, object)
	p := Problem{
		Pointer: pointer, Severity: event.SeverityWarning, Expected: "one of " + strings.Join(known, ", "), Found: strconv.Quote(clip.Runes(m.Name, 60)), Nearest: near,
		Text: fmt.Sprintf("%s is not known and has no effect", strconv.Quote(clip.Runes(m.Name, 60))),
	}
	if s.Strict {
		p.Severity = event.SeverityError
		p.Text = fmt.Sprintf("permission %s is not known; known are %s", strconv.Quote(clip.Runes(m.Name, 60)), strings.Join(known, ", "))
	}
	taken := ""
	if near == "" {
		// The name is there already: it is told, but cannot be had twice.
		taken = s.Nearest(m.Name, &loose.Node{})
		p.Nearest = taken
	}
	if near+taken != "" {
		p.Text += fmt.Sprintf("; did you mean %q", near+taken)
	}
	if near != "" {
		value := m.Value.JSON()
		edit := loose.Edit{Start: m.Start, End: m.End, Text: loose.Quote(near)}
		if other, changed := j.carried(child(pointer[:strings.LastIndexByte(pointer, '/')], near), s.Member(near).Shape, m.Value); changed {
			value = other
			edit = loose.Edit{Start: m.Start, End: m.Value.End, Text: loose.Quote(near) + ": " + value}
		}
		p.Fix = clip.Runes(loose.Quote(near)+": "+indented(value), 2000)
		j.report(m.Start, p, edit)
		return
	}
	if !s.Strict {
		j.report(m.Start, p)
		return
	}
	p.Fix = `"permissions": ` + indented(without(object, m.Name))
	j.report(m.Start, p, j.removal(pointer)...)
}

// carried is n as a right value for pointer, under whose name it was meant; changed is true
// when it cannot stay as it is.
func (j *judge) carried(pointer string, s *shape.Shape, n *loose.Node) (value string, changed bool) {
	if s.Of(n.Kind) == nil {
		return j.coerced(pointer, s, n), true
	}
	if strings.HasSuffix(pointer, "/endpoint") && n.Kind == loose.String {
		return loose.Quote(j.endpointFor(n.Text, j.toolAt(pointer))), true
	}
	return n.JSON(), false
}

// without is object without the member called name, as JSON.
func without(object *loose.Node, name string) string {
	rest := &loose.Node{Kind: loose.Object}
	for _, m := range object.Members {
		if m.Name != name {
			rest.Members = append(rest.Members, m)
		}
	}
	return rest.JSON()
}

// sanitized is n as JSON with only what is known and right, so that it can be decoded: what
// is bad becomes null.
func (j *judge) sanitized(pointer string, n *loose.Node, s *shape.Shape) string {
	if j.bad[pointer] {
		return "null"
	}
	fits := s.Of(n.Kind)
	switch {
	case fits == nil:
		return "null"
	case fits.Open:
		return n.JSON()
	case n.Kind == loose.Number:
		v, _ := shape.Number(n)
		return strconv.Itoa(v)
	case n.Kind == loose.Array:
		items := make([]string, len(n.Items))
		for i, item := range n.Items {
			items[i] = j.sanitized(child(pointer, strconv.Itoa(i)), item, fits.Items)
		}
		return "[" + strings.Join(items, ",") + "]"
	case n.Kind == loose.Object:
		var members []string
		seen := map[string]bool{}
		for _, m := range slices.Backward(n.Members) {
			inner := fits.Values
			if known := fits.Member(m.Name); known != nil {
				inner = known.Shape
			}
			if inner == nil || seen[m.Name] {
				continue
			}
			seen[m.Name] = true
			members = append(members, loose.Quote(m.Name)+":"+j.sanitized(child(pointer, m.Name), m.Value, inner))
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	return n.JSON()
}
