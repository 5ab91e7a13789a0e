package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"sextant/backend/tools/panels/jsonpos"
	"sextant/backend/tools/panels/manifest/loose"
	"sextant/backend/tools/panels/manifest/shape"
	"sextant/shared/clip"
	"sextant/shared/event"
)

// report adds p with its place at offset.
func (j *judge) report(offset int, p Problem, edits ...loose.Edit) {
	p.File = FileName
	p.Line, p.Column = j.doc.Position(offset)
	if p.Severity == "" {
		p.Severity = event.SeverityError
	}
	if p.Text == "" {
		p.Text = fmt.Sprintf("%s should be %s, not %s", last(p.Pointer), p.Expected, p.Found)
	}
	j.findings = append(j.findings, finding{Problem: p, edits: edits})
}

// wrong tells that the value at pointer is wrong; value is a right one as JSON.
func (j *judge) wrong(pointer string, p Problem, value string) {
	at, ok := j.places[pointer]
	if !ok {
		j.missing(pointer, p, value)
		return
	}
	p.Pointer = pointer
	if p.Found == "" {
		p.Found = shape.Found(at.node)
	}
	p.Fix = piece(at, value)
	j.report(at.node.Start, p, loose.Edit{Start: at.node.Start, End: at.node.End, Text: value})
	if !p.Warning() {
		j.bad[pointer] = true
	}
}

// piece is a member with its name inside an object, else the value alone.
func piece(at place, value string) string {
	value = indented(value)
	if at.member != nil {
		return loose.Quote(at.member.Name) + ": " + value
	}
	return value
}

// indented is value as it was written when that is short, else spread over lines.
func indented(value string) string {
	var b bytes.Buffer
	if len(value) < 80 || strings.Contains(value, "\n") || json.Indent(&b, []byte(value), "", "  ") != nil {
		return value
	}
	return b.String()
}

// missing tells that pointer is not there and shows it with value. A member that was
// probably meant is renamed instead.
func (j *judge) missing(pointer string, p Problem, value string) {
	parent, name := "", ""
	if parts := jsonpos.Parts(pointer); len(parts) > 0 {
		parent, name = pointer[:strings.LastIndexByte(pointer, '/')], parts[len(parts)-1]
	}
	at, ok := j.places[parent]
	if !ok || at.node.Kind != loose.Object {
		return
	}
	p.Pointer, p.Found = pointer, "nothing"
	p.Fix = loose.Quote(name) + ": " + indented(value)
	edit := j.insertion(at.node, p.Fix)
	if meant := j.meant(at.node, parent, name); meant != nil {
		p.Nearest = meant.Name
		p.Text += fmt.Sprintf("; %s stands there, is it meant?", strconv.Quote(clip.Runes(meant.Name, 60)))
		p.Fix = loose.Quote(name) + ": " + indented(meant.Value.JSON())
		edit = loose.Edit{Start: meant.Start, End: meant.End, Text: loose.Quote(name)}
		if other, changed := j.carried(pointer, shape.At(jsonpos.Parts(parent)).Member(name).Shape, meant.Value); changed {
			p.Fix = loose.Quote(name) + ": " + indented(other)
			edit = loose.Edit{Start: meant.Start, End: meant.Value.End, Text: p.Fix}
		}
	}
	j.report(at.node.Start, p, edit)
}

// meant is the unknown member that looks like the known one called name.
func (j *judge) meant(object *loose.Node, pointer, name string) *loose.Member {
	s := shape.At(jsonpos.Parts(pointer))
	if s == nil {
		return nil
	}
	for i, m := range object.Members {
		if s.Member(m.Name) == nil && s.Nearest(m.Name, object) == name {
			return &object.Members[i]
		}
	}
	return nil
}

// insertion puts a member at the end of object, on a line of its own where the others are.
func (j *judge) insertion(object *loose.Node, member string) loose.Edit {
	if len(object.Members) == 0 {
		return loose.Edit{Start: object.Start, End: object.End, Text: "{" + member + "}"}
	}
	lastOne := object.Members[len(object.Members)-1]
	gap := ", "
	before := j.doc.Text[:lastOne.Start]
	if line := before[bytes.LastIndexByte(before, '\n')+1:]; len(bytes.TrimSpace(line)) == 0 && len(line) < lastOne.Start {
		gap = ",\n" + string(line)
	}
	return loose.Edit{Start: lastOne.Value.End, End: lastOne.Value.End, Text: gap + member}
}

// removal takes the member or item at pointer away, with one comma.
func (j *judge) removal(pointer string) []loose.Edit {
	at := j.places[pointer]
	if at.parent == nil {
		return nil
	}
	var starts, ends []int
	self := -1
	for i, m := range at.parent.Members {
		starts, ends = append(starts, m.Start), append(ends, m.Value.End)
		if at.member != nil && m.Start == at.member.Start {
			self = i
		}
	}
	for i, item := range at.parent.Items {
		starts, ends = append(starts, item.Start), append(ends, item.End)
		if item == at.node {
			self = i
		}
	}
	switch {
	case self < 0:
		return nil
	case self+1 < len(starts):
		return []loose.Edit{{Start: starts[self], End: starts[self+1]}}
	case self > 0:
		return []loose.Edit{{Start: ends[self-1], End: ends[self]}}
	}
	return []loose.Edit{{Start: starts[self], End: ends[self]}}
}

// surplus tells that the member or item at pointer does not belong there; fix shows what
// belongs there instead.
func (j *judge) surplus(pointer string, p Problem, fix string) {
	at := j.places[pointer]
	p.Pointer, p.Fix = pointer, fix
	offset := at.node.Start
	if at.member != nil {
		offset = at.member.Start
	}
	if p.Found == "" {
		p.Found = shape.Found(at.node)
	}
	j.report(offset, p, j.removal(pointer)...)
}

// warn tells something at the value of pointer that keeps nothing off.
func (j *judge) warn(pointer, fix, format string, args ...any) {
	p := Problem{Pointer: pointer, Severity: event.SeverityWarning, Text: fmt.Sprintf(format, args...), Fix: fix}
	for {
		if at, ok := j.places[pointer]; ok {
			offset := at.node.Start
			if at.member != nil {
				offset = at.member.Start
			}
			j.report(offset, p)
			return
		}
		pointer = pointer[:max(0, strings.LastIndexByte(pointer, '/'))]
	}
}

// usable reports whether the value at pointer is there and of the right kind.
func (j *judge) usable(pointer string) bool {
	_, there := j.places[pointer]
	return there && !j.spoiled(pointer)
}

// spoiled reports whether pointer or what it is in was found bad, so that nothing more
// should be said of it.
func (j *judge) spoiled(pointer string) bool {
	for ; pointer != ""; pointer = pointer[:strings.LastIndexByte(pointer, '/')] {
		if j.bad[pointer] {
			return true
		}
	}
	return false
}

// last is the name at the end of a pointer, with the list it stands in for an item.
func last(pointer string) string {
	if pointer == "" {
		return "the manifest"
	}
	parts := jsonpos.Parts(pointer)
	name := clip.Runes(parts[len(parts)-1], 60)
	if _, err := strconv.Atoi(name); err == nil && len(parts) > 1 {
		return fmt.Sprintf("item %s of %s", name, clip.Runes(parts[len(parts)-2], 60))
	}
	return name
}

func child(pointer, name string) string { return jsonpos.Pointer(pointer, name) }
