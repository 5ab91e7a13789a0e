package manifest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"sextant/backend/tools/panels/jsonpos"
	"sextant/shared/event"
)

// MaxBytes is how large a manifest may be.
const MaxBytes = 1 << 20

const (
	maxTools    = 64
	maxProblems = 20
)

// Judgement is what reading a manifest found: Plan is nil when a problem stops it.
type Judgement struct {
	Plan     *Plan
	Problems []Problem
}

// Plan is a manifest found good, with its tools ready to be offered and called.
type Plan struct {
	Manifest Manifest
	Tools    []BoundTool
}

// judge collects the problems of one manifest.
type judge struct {
	index    *jsonpos.Index
	manifest Manifest
	folder   string
	builtin  bool
	problems []Problem
}

// Read judges the text of a manifest that stands in folder (its base name).
func Read(text []byte, folder string, builtin bool) Judgement {
	j := &judge{folder: folder, builtin: builtin}
	index, err := jsonpos.Parse(text)
	var fault *jsonpos.Error
	if errors.As(err, &fault) {
		return Judgement{Problems: []Problem{{
			File: FileName, Line: fault.Line, Column: fault.Column, Severity: event.SeverityError, Text: "not valid JSON: " + fault.Text,
		}}}
	}
	j.index = index
	for _, pointer := range index.Twice {
		j.at(index.Keys[pointer], "%s stands twice in its object", name(pointer))
	}
	if err := json.Unmarshal(text, &j.manifest); err != nil {
		j.typeFault(err)
		return j.judgement(nil)
	}
	j.unknown()
	j.identity()
	j.rest()
	tools := j.tools()
	return j.judgement(tools)
}

func (j *judge) judgement(tools []BoundTool) Judgement {
	slices.SortStableFunc(j.problems, func(a, b Problem) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	out := Judgement{Problems: j.problems}
	if len(out.Problems) > maxProblems {
		more := len(out.Problems) - maxProblems
		stops := anyStops(out.Problems)
		out.Problems = append(slices.Clone(out.Problems[:maxProblems]), problem(!stops, "and %d more", more))
	}
	if !anyStops(out.Problems) {
		out.Plan = &Plan{Manifest: j.manifest, Tools: tools}
	}
	return out
}

// fail reports a problem at the value of pointer, or at its parent when it is missing.
func (j *judge) fail(pointer, format string, args ...any) {
	for {
		if span, ok := j.index.Values[pointer]; ok {
			j.at(span.Start, format, args...)
			return
		}
		pointer = pointer[:max(0, strings.LastIndexByte(pointer, '/'))]
	}
}

func (j *judge) at(offset int, format string, args ...any) {
	line, column := j.index.Position(offset)
	j.problems = append(j.problems, Problem{
		File: FileName, Line: line, Column: column, Severity: event.SeverityError, Text: fmt.Sprintf(format, args...),
	})
}

// warn reports at the key of pointer something that keeps nothing off.
func (j *judge) warn(pointer, format string, args ...any) {
	j.at(j.index.Keys[pointer], format, args...)
	j.problems[len(j.problems)-1].Severity = event.SeverityWarning
}

func (j *judge) typeFault(err error) {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		j.fail("", "%s", err)
		return
	}
	field := wrong.Field
	if field == "" {
		field = "the manifest"
	}
	pointer := "/" + strings.ReplaceAll(wrong.Field, ".", "/")
	if _, ok := j.index.Values[pointer]; !ok {
		j.at(max(0, int(wrong.Offset)-1), "%s should be %s, not %s", field, kindName(wrong.Type.String()), article(wrong.Value))
		return
	}
	j.fail(pointer, "%s should be %s, not %s", field, kindName(wrong.Type.String()), article(wrong.Value))
}

// kindName says a Go type in JSON's words.
func kindName(goType string) string {
	switch {
	case goType == "string", goType == "int":
		return map[string]string{"string": "a string", "int": "a whole number"}[goType]
	case strings.HasSuffix(goType, "bool"):
		return "true or false"
	case strings.HasPrefix(goType, "[]"):
		return "a list"
	}
	return "an object"
}

func article(jsonKind string) string {
	kind, _, _ := strings.Cut(jsonKind, " ")
	if kind == "array" {
		return "a list"
	}
	if kind == "object" {
		return "an object"
	}
	return "a " + kind
}

// unknown compares every member with the known ones.
func (j *judge) unknown() {
	known := fields()
	for object, names := range j.index.Order {
		allowed, ok := known[pattern(object)]
		if !ok {
			continue
		}
		for _, n := range names {
			if slices.Contains(allowed, n) {
				continue
			}
			pointer := jsonpos.Pointer(object, n)
			if object == "/permissions" {
				j.at(j.index.Keys[pointer], "permission %q is not known; known are %s", n, strings.Join(allowed, ", "))
				continue
			}
			hint := ""
			if near := nearest(n, allowed); near != "" {
				hint = fmt.Sprintf("; did you mean %q", near)
			}
			j.warn(pointer, "%q is not known and has no effect%s", n, hint)
		}
	}
}

// pattern replaces the variable parts of an object's pointer by "*".
func pattern(pointer string) string {
	parts := strings.Split(pointer, "/")
	if len(parts) > 2 && (parts[1] == "tools" || parts[1] == "config") {
		parts[2] = "*"
	}
	return strings.Join(parts, "/")
}

// ruleID and reservedID are the rules for a panel's id; the reserved ones are the host's
// own routes under /api/.
var ruleID = regexp.MustCompile(`^[a-z][a-z0-9-]{1,48}$`)

func reservedID(id string) bool {
	return slices.Contains([]string{"ai", "panels", "automations", "mcp", "openapi"}, id)
}

// CheckID says why id cannot be a panel's id, nil when it can.
func CheckID(id string) error {
	if !ruleID.MatchString(id) {
		return fmt.Errorf("%q cannot be a panel's id: a small letter, then up to 48 small letters, digits and hyphens", Cut(id, 60))
	}
	if reservedID(id) {
		return fmt.Errorf("%q is reserved for routes of Sextant", id)
	}
	return nil
}

func (j *judge) identity() {
	m := &j.manifest
	for _, need := range []struct{ name, value string }{{"panel_id", m.PanelID}, {"panel_type", m.PanelType}, {"title", m.Title}} {
		if strings.TrimSpace(need.value) == "" {
			j.fail("/"+need.name, "%s is missing", need.name)
		} else if utf8.RuneCountInString(need.value) > 80 {
			j.fail("/"+need.name, "%s is longer than 80 characters", need.name)
		}
	}
	if _, ok := j.index.Values["/tools"]; !ok {
		j.fail("", `tools is missing; write "tools": [] for a panel without tools`)
	}
	switch {
	case m.PanelID == "":
	case !ruleID.MatchString(m.PanelID):
		j.fail("/panel_id", "panel_id %q is not allowed: a small letter, then up to 48 small letters, digits and hyphens", Cut(m.PanelID, 60))
	case reservedID(m.PanelID):
		j.fail("/panel_id", "panel_id %q is reserved for routes of Sextant", m.PanelID)
	case m.PanelID != j.folder:
		j.fail("/panel_id", "panel_id is %q but the folder is called %q; they must be the same", m.PanelID, Cut(j.folder, 60))
	}
}

// rest judges everything beside identity and tools.
func (j *judge) rest() {
	m := &j.manifest
	if m.ManifestVersion < 0 || m.ManifestVersion > 1 {
		j.fail("/manifest_version", "manifest_version %d is newer than this program knows; it reads version 1", m.ManifestVersion)
	}
	if s := m.ActivityBar.Section; s != "" && s != "top" && s != "bottom" {
		j.fail("/activity_bar/section", "section %q is not known; it is top or bottom", Cut(s, 40))
	}
	if m.UI != nil {
		switch m.UI.Kind {
		case "builtin":
			if !j.builtin {
				j.fail("/ui/kind", "ui.kind builtin is for the panels inside Sextant; leave ui out")
			}
		case "declarative":
			j.page(m.UI)
		case "webview":
			j.webview(m.UI)
		default:
			j.fail("/ui/kind", "ui.kind %q is not known; it is declarative or webview", Cut(m.UI.Kind, 40))
		}
	}
	if m.When != "" {
		j.warn("/when", "when has no effect in this version; the panel is always shown")
	}
	for i, host := range m.Permissions.Net.List {
		if host == "" || strings.ContainsAny(host, "/ @") {
			j.fail("/permissions/net/"+strconv.Itoa(i), "%q is not a host name", Cut(host, 60))
		}
	}
	if m.Backend != nil {
		j.backend(m.Backend)
	}
}

func (j *judge) backend(b *Backend) {
	if j.builtin {
		j.fail("/backend", "a built-in panel is answered by Sextant itself and has no backend")
		return
	}
	if b.Health != "" {
		if problem := badPath(b.Health, j.manifest.PanelID); problem != "" || strings.Contains(b.Health, "{") {
			j.fail("/backend/health", "health %q is not a path below /api/%s/", Cut(b.Health, 80), j.manifest.PanelID)
		}
	}
	switch b.Kind {
	case "process":
		if strings.TrimSpace(b.Command) == "" {
			j.fail("/backend/command", "backend.command is missing: the program to run, such as \"node\"")
		}
		if strings.ContainsRune(b.Command+strings.Join(b.Args, ""), 0) {
			j.fail("/backend/command", "the command holds a NUL character")
		}
	case "http":
		j.backendURL(b.URL)
	case "script", "mcp":
		j.fail("/backend/kind", "backend kind %s is not in this version; use process or http", b.Kind)
	default:
		j.fail("/backend/kind", "backend kind %q is not known; it is process or http", Cut(b.Kind, 40))
	}
}

func (j *judge) backendURL(raw string) {
	u, err := url.Parse(raw)
	switch {
	case raw == "":
		j.fail("/backend/url", "backend.url is missing, such as \"http://127.0.0.1:8800\"")
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		j.fail("/backend/url", "%q is not an http or https address", Cut(raw, 100))
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		j.fail("/backend/url", "backend.url may hold no user, query or fragment")
	case !Loopback(u.Hostname()) && !j.manifest.Permissions.Net.Any && !slices.Contains(j.manifest.Permissions.Net.List, u.Hostname()):
		j.fail("/backend/url", "backend.url leads to %s; add that host to permissions.net, or use an address of this machine", u.Hostname())
	}
}

// Cut shortens text from outside to n characters for a message.
func Cut(text string, n int) string {
	runes := []rune(strings.ToValidUTF8(text, "�"))
	if len(runes) <= n {
		return string(runes)
	}
	return string(runes[:n]) + "…"
}

func name(pointer string) string {
	return strconv.Quote(Cut(pointer[strings.LastIndexByte(pointer, '/')+1:], 60))
}

// Loopback reports whether host, a name or an address, is always this machine.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
