package manifest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"

	"sextant/backend/panels/manifest/condition"
	"sextant/backend/toolprovider/jsonpos"
	"sextant/shared/event"
	"sextant/shared/excerpt"
)

// MaxBytes is the maximum size of a manifest in bytes.
const MaxBytes = 1 << 20

const maxProblems = 100

// Problem is a mistake in a panel.
type Problem = event.PanelProblem

// ParseResult is the result of Parse. Plan is nil if Problems contains an error; warnings do not matter.
type ParseResult struct {
	Plan     *Plan
	Problems []Problem
}

// Plan is a valid manifest. Tools are ready to be offered and called.
type Plan struct {
	Manifest Manifest
	Tools    []BoundTool
	// Condition is the panel's parsed "when", nil if there is none.
	Condition *condition.Expr
}

type checker struct {
	index    *jsonpos.Index
	schema   schema
	manifest Manifest
	folder   string
	builtin  bool
	// nulls contains the pointers of null members, which count as missing. invalid contains the pointers of wrong or
	// missing values that fail has reported; later steps skip them.
	nulls, invalid map[string]bool
	// patterns contains the pointers of strings that do not match a pattern of the schema.
	patterns []string
	problems []Problem
}

// Parse checks the text of a manifest. The last element of folder is the name of the panel's folder. builtin is true
// for a panel of Sextant itself, which has no backend and may have a page of kind "builtin". Parse continues after most
// mistakes to report them at once.
func Parse(text []byte, folder string, builtin bool) ParseResult {
	c := &checker{
		schema: loadSchema(), folder: filepath.Base(folder), builtin: builtin,
		nulls: map[string]bool{}, invalid: map[string]bool{},
	}
	if len(text) > MaxBytes {
		return ParseResult{Problems: []Problem{problem(false, "%s is larger than 1 MB", FileName)}}
	}
	index, faults := jsonpos.ParseLenient(text)
	for _, fault := range faults {
		c.problems = append(c.problems, Problem{
			File: FileName, Line: fault.Line, Column: fault.Column, Severity: event.SeverityError,
			Expected: fault.Expected,
			Found:    fault.Found, Text: "not valid JSON: " + fault.Text,
			Fix: excerpt.TruncateRunes(cmp.Or(fault.RepairedLine, c.minimal()), 400),
		})
	}
	if index == nil {
		return c.parsed(nil)
	}
	c.index = index
	for _, pointer := range index.Duplicates {
		c.duplicate(pointer)
	}
	c.validate()
	if c.invalid[""] {
		return c.parsed(nil)
	}
	if err := json.Unmarshal(c.pruned(), &c.manifest); err != nil {
		c.fail("", Problem{Expected: "a manifest", Found: err.Error(), Text: "reading the manifest: " + err.Error()},
			c.minimal())
		return c.parsed(nil)
	}
	c.checkIdentity()
	c.checkPage()
	c.checkContext()
	c.checkPermissions()
	c.checkConfig()
	c.checkCondition("/when", c.manifest.When)
	c.checkBackend()
	tools := c.checkTools()
	c.checkEvals(tools)
	c.checkPatterns()
	return c.parsed(tools)
}

func (c *checker) parsed(tools []BoundTool) ParseResult {
	slices.SortStableFunc(c.problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	stopped := slices.ContainsFunc(c.problems, Problem.DisablesPanel)
	var out ParseResult
	for _, p := range c.problems {
		if len(out.Problems) < maxProblems && (len(c.problems) <= maxProblems || !stopped || p.DisablesPanel()) {
			out.Problems = append(out.Problems, p)
		}
	}
	if more := len(c.problems) - len(out.Problems); more > 0 {
		out.Problems = append(out.Problems, problem(true, "and %d more", more))
	}
	if !stopped {
		out.Plan = &Plan{Manifest: c.manifest, Tools: tools, Condition: parseCondition(c.manifest.When)}
	}
	return out
}

// pruned returns the text without repeated, unknown, null and invalid members, so that it can be decoded.
func (c *checker) pruned() []byte {
	root := c.index.Root.Clone()
	c.prune("", &root, c.schema.root)
	root.Minimize()
	return root.Pack()
}

func (c *checker) prune(pointer string, v *hujson.Value, n *node) {
	switch value := v.Value.(type) {
	case *hujson.Object:
		if n == nil || n.open() {
			return
		}
		var members []hujson.ObjectMember
		seen := map[string]bool{}
		for _, m := range slices.Backward(value.Members) {
			name := jsonpos.MemberName(&m)
			at := jsonpos.Pointer(pointer, name)
			member := n.member(name)
			if member == nil || seen[name] || c.nulls[at] || c.invalid[at] {
				continue
			}
			seen[name] = true
			c.prune(at, &m.Value, member)
			members = append(members, m)
		}
		slices.Reverse(members)
		value.Members = members
	case *hujson.Array:
		for i := range value.Elements {
			at := jsonpos.Pointer(pointer, strconv.Itoa(i))
			if c.invalid[at] {
				value.Elements[i].Value = hujson.Literal("null")
			} else if n != nil && n.Items != nil {
				c.prune(at, &value.Elements[i], n.Items)
			}
		}
	case hujson.Literal:
		// JSON Schema accepts 1.0 as an integer, but encoding/json does not.
		if n != nil && value.Kind() == '0' && slices.Contains(n.Type, "integer") &&
			value.Float() == float64(int(value.Float())) {
			v.Value = hujson.Int(int64(value.Float()))
		}
	}
}

func problem(warning bool, format string, args ...any) Problem {
	p := Problem{Severity: event.SeverityError, Text: fmt.Sprintf(format, args...)}
	if warning {
		p.Severity = event.SeverityWarning
	}
	return p
}

func (c *checker) report(offset int, p Problem) {
	p.File = FileName
	p.Line, p.Column = c.index.Position(offset)
	p.Severity = cmp.Or(p.Severity, event.SeverityError)
	p.Text = cmp.Or(p.Text, fmt.Sprintf("%s should be %s, not %s", label(p.Pointer), p.Expected, p.Found))
	c.problems = append(c.problems, p)
}

// fail reports that the value at pointer is wrong or missing. value is a valid value as JSON, unused if p has a Fix.
func (c *checker) fail(pointer string, p Problem, value string) {
	p.Pointer = pointer
	p.Fix = cmp.Or(p.Fix, c.piece(pointer, value))
	place := pointer
	if _, ok := c.index.Values[pointer]; ok {
		p.Found = cmp.Or(p.Found, found(c.index.Raw(pointer)))
	} else {
		p.Found, place = "nothing", parent(pointer)
	}
	c.report(c.index.Values[place].Start, p)
	c.invalid[pointer] = true
}

// warn reports a warning at the member or item at pointer, or at the nearest existing one that contains it.
func (c *checker) warn(pointer, fix, format string, args ...any) {
	p := Problem{Pointer: pointer, Severity: event.SeverityWarning, Text: fmt.Sprintf(format, args...), Fix: fix}
	for pointer != "" {
		if offset, ok := c.index.Keys[pointer]; ok {
			c.report(offset, p)
			return
		}
		if span, ok := c.index.Values[pointer]; ok {
			c.report(span.Start, p)
			return
		}
		pointer = parent(pointer)
	}
	c.report(c.index.Values[""].Start, p)
}

// duplicate reports that the last name of pointer occurs twice in its object.
func (c *checker) duplicate(pointer string) {
	name := jsonpos.SplitPointer(pointer)[strings.Count(pointer, "/")-1]
	p := Problem{Pointer: pointer, Expected: "each name once", Found: "a second " +
		strconv.Quote(excerpt.TruncateRunes(name, 60))}
	p.Text = strconv.Quote(excerpt.TruncateRunes(name, 60)) + " occurs twice in its object"
	p.Fix = excerpt.TruncateRunes(quote(name)+": "+c.index.Raw(pointer), 2000)
	c.report(c.index.Keys[pointer], p)
}

// piece returns value with its name if pointer is a member of an object.
func (c *checker) piece(pointer, value string) string {
	if pointer == "" || !strings.HasPrefix(c.index.Raw(parent(pointer)), "{") {
		return value
	}
	parts := jsonpos.SplitPointer(pointer)
	return quote(parts[len(parts)-1]) + ": " + value
}

func (c *checker) usable(pointer string) bool {
	_, ok := c.index.Values[pointer]
	return ok && !c.nulls[pointer] && !c.unusable(pointer)
}

func (c *checker) unusable(pointer string) bool {
	for ; pointer != ""; pointer = parent(pointer) {
		if c.invalid[pointer] {
			return true
		}
	}
	return false
}

func (c *checker) minimal() string {
	id := c.id()
	return fmt.Sprintf(`{"panel_id": %s, "panel_type": "panel", "title": %s, "tools": []}`, quote(id),
		quote(titled(id)))
}

// id returns the id that the panel has or should have: the manifest's id, the folder's name, or the nearest valid id to
// one of them. "my-panel" is the last resort. Before the manifest is decoded, its id is unknown.
func (c *checker) id() string {
	for _, id := range []string{
		c.manifest.PanelID, c.folder, slug(c.folder, '-', 49),
		slug(c.manifest.PanelID, '-', 49),
	} {
		if CheckID(id) == nil {
			return id
		}
	}
	return "my-panel"
}

func parent(pointer string) string { return pointer[:max(0, strings.LastIndexByte(pointer, '/'))] }

func label(pointer string) string {
	parts := jsonpos.SplitPointer(pointer)
	if len(parts) == 0 {
		return "the manifest"
	}
	name := excerpt.TruncateRunes(parts[len(parts)-1], 60)
	if _, err := strconv.Atoi(name); err == nil && len(parts) > 1 {
		return fmt.Sprintf("item %s of %s", name, excerpt.TruncateRunes(parts[len(parts)-2], 60))
	}
	return name
}

func found(raw string) string {
	switch {
	case raw == `""`:
		return "an empty string"
	case raw[0] == '"':
		return "the string " + strconv.Quote(excerpt.TruncateRunes(hujson.Literal(raw).String(), 60))
	case raw[0] == '[':
		return "a list"
	case raw[0] == '{':
		return "an object"
	case strings.ContainsRune("-0123456789", rune(raw[0])):
		return "the number " + excerpt.TruncateRunes(raw, 30)
	}
	return raw
}

func quote(text string) string { return string(hujson.String(text)) }

func quoteList(items []string) string {
	quoted := make([]string, len(items))
	for i, item := range items {
		quoted[i] = quote(item)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
