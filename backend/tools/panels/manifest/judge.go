package manifest

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"sextant/backend/tools/panels/manifest/loose"
	"sextant/backend/tools/panels/manifest/mend"
	"sextant/backend/tools/panels/manifest/shape"
	"sextant/backend/tools/panels/manifest/when"
	"sextant/shared/clip"
	"sextant/shared/event"
)

// MaxBytes is how large a manifest may be.
const MaxBytes = 1 << 20

// maxProblems bounds how many problems are told of one manifest.
const maxProblems = 100

// Judgement is what reading a manifest found: Plan is nil when a problem stops it.
type Judgement struct {
	Plan     *Plan
	Problems []Problem
	// findings are the same problems with what mends them, in the same order.
	findings []finding
	doc      loose.Document
}

// Plan is a manifest found good, with its tools ready to be offered and called.
type Plan struct {
	Manifest Manifest
	Tools    []BoundTool
	// Condition is the panel's when, nil without one.
	Condition *when.Expr
}

// finding is a problem and the edits of the text that would make it right; there are none
// where only the author can know.
type finding struct {
	Problem
	edits []loose.Edit
}

// place is where a value stands: in its parent, under a name or as an item.
type place struct {
	node   *loose.Node
	parent *loose.Node
	member *loose.Member
}

// judge collects the problems of one manifest.
type judge struct {
	doc      loose.Document
	manifest Manifest
	folder   string
	builtin  bool
	places   map[string]place
	// bad are the pointers of values that are of no use; they count as left out, and nothing
	// more is said of them.
	bad      map[string]bool
	findings []finding
	// cutOff is true for a text that ends in the middle.
	cutOff bool
}

// Read judges the text of a manifest that stands in folder (its base name). It reads on
// after every mistake, so that all problems are told at once.
func Read(text []byte, folder string, builtin bool) Judgement {
	j := &judge{folder: filepath.Base(folder), builtin: builtin, doc: loose.Parse(text), places: map[string]place{}, bad: map[string]bool{}}
	for _, fault := range j.doc.Faults {
		j.grammar(fault)
		j.cutOff = j.cutOff || fault.Found == loose.EndOfFile
	}
	root := j.doc.Root
	if root == nil {
		return j.judgement(nil)
	}
	j.places[""] = place{node: root}
	if root.Kind != loose.Object {
		j.wrong("", Problem{Expected: "an object", Found: shape.Found(root), Text: fmt.Sprintf("the manifest should be an object, not %s", shape.Found(root))}, j.unwrapped(root))
		return j.judgement(nil)
	}
	s := shape.Manifest()
	j.walk("", root, s)
	if err := json.Unmarshal([]byte(j.sanitized("", root, s)), &j.manifest); err != nil {
		j.wrong("", Problem{Expected: "a manifest", Found: err.Error(), Text: "reading the manifest: " + err.Error()}, j.minimal())
		return j.judgement(nil)
	}
	j.identity()
	j.rest()
	tools := j.tools()
	j.evals(tools)
	return j.judgement(tools)
}

// unwrapped is the manifest in a list of one, else the smallest there can be.
func (j *judge) unwrapped(root *loose.Node) string {
	if root.Kind == loose.Array && len(root.Items) > 0 && root.Items[0].Kind == loose.Object {
		return root.Items[0].JSON()
	}
	return j.minimal()
}

// minimal is the smallest manifest of this folder.
func (j *judge) minimal() string {
	id := j.id()
	return fmt.Sprintf(`{"panel_id": %s, "panel_type": "panel", "title": %s, "tools": []}`, loose.Quote(id), loose.Quote(mend.Title(id)))
}

// grammar tells a mistake in the JSON itself.
func (j *judge) grammar(fault loose.Fault) {
	line, column := j.doc.Position(fault.Offset)
	fix := j.minimal()
	if j.doc.Root != nil {
		fix = j.mendedLine(fault)
	}
	j.findings = append(j.findings, finding{Problem: Problem{
		File: FileName, Line: line, Column: column, Expected: fault.Expected, Found: fault.Found, Fix: fix, Severity: event.SeverityError,
		Text: fmt.Sprintf("not valid JSON: expected %s, found %s", fault.Expected, fault.Found),
	}})
}

// mendedLine is the line around fault as it should be, cut to what is near.
func (j *judge) mendedLine(fault loose.Fault) string {
	text := j.doc.Text
	at := min(fault.Edit.Start, len(text))
	start := strings.LastIndexByte(string(text[:at]), '\n') + 1
	end := len(text)
	if i := strings.IndexByte(string(text[min(fault.Edit.End, len(text)):]), '\n'); i >= 0 {
		end = fault.Edit.End + i
	}
	start, end = max(start, at-200), min(end, fault.Edit.End+200)
	var edits []loose.Edit
	for _, e := range j.doc.Edits() {
		if e.Start >= start && e.End <= end {
			edits = append(edits, loose.Edit{Start: e.Start - start, End: e.End - start, Text: e.Text})
		}
	}
	fix := strings.TrimSpace(strings.ToValidUTF8(string(loose.Apply(text[start:end], edits)), ""))
	if fix == "" {
		// The whole line goes; what stays is shown instead.
		fix = strings.TrimSpace(string(j.doc.Mended()))
	}
	return clip.Runes(fix, 300)
}

func (j *judge) judgement(tools []BoundTool) Judgement {
	slices.SortStableFunc(j.findings, func(a, b finding) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	out := Judgement{doc: j.doc}
	stopped := slices.ContainsFunc(j.findings, func(f finding) bool { return f.Stops() })
	left := 0
	for _, f := range j.findings {
		if len(out.Problems) >= maxProblems || len(j.findings) > maxProblems && stopped && !f.Stops() {
			left++
			continue
		}
		out.Problems, out.findings = append(out.Problems, f.Problem), append(out.findings, f)
	}
	if left > 0 {
		more := problem(true, "and %d more", left)
		out.Problems, out.findings = append(out.Problems, more), append(out.findings, finding{Problem: more})
	}
	if !stopped && j.doc.Root != nil {
		out.Plan = &Plan{Manifest: j.manifest, Tools: tools, Condition: condition(j.manifest.When)}
	}
	return out
}

// Mend is text with everything made right that can be without knowing what its author
// meant: an example of a good manifest, not a decision. ok is true when it is accepted.
func Mend(text []byte, folder string) (mended []byte, ok bool) {
	for range 6 {
		found := Read(text, folder, false)
		if found.Plan != nil {
			return text, true
		}
		next := found.doc.Mended()
		if found.doc.Root == nil {
			// Nothing can be made of the text, so the smallest manifest takes its place.
			next = []byte(found.Problems[len(found.Problems)-1].Fix)
		}
		if found.doc.Root != nil && len(found.doc.Faults) == 0 {
			next = found.apply()
		}
		if next == nil || string(next) == string(text) {
			return text, false
		}
		text = next
	}
	return text, Read(text, folder, false).Plan != nil
}

// apply makes the edits of all findings that stop, of two that overlap the first.
func (found Judgement) apply() []byte {
	var edits []loose.Edit
	for _, f := range found.findings {
		if f.Warning() {
			continue
		}
		if !slices.ContainsFunc(edits, func(e loose.Edit) bool {
			return slices.ContainsFunc(f.edits, func(mine loose.Edit) bool { return mine.Start < e.End && e.Start < mine.End || mine == e })
		}) {
			edits = append(edits, f.edits...)
		}
	}
	return loose.Apply(found.doc.Text, edits)
}
