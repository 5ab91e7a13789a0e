// Package acceptance finds what a changed manifest would allow a panel beyond the accepted manifest. Each such finding
// is a reason to let the change wait for the user.
//
// More permissions and a different backend wait. A new tool that does more than read, and a known tool with a different
// description, schema or endpoint, wait unless the user is developing the panel. A change that only reduces the panel's
// rights or changes its appearance does not wait.
//
// The package stores nothing and reads no files. A manifest is untrusted.
package acceptance

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sextant/backend/panels/manifest"
	"sextant/shared/excerpt"
)

// Kind is the subject of a Reason.
type Kind string

// The kinds of reasons.
const (
	KindPermission Kind = "permission"
	KindCommand    Kind = "command"
	KindTool       Kind = "tool"
)

// Reason is a sentence about something that a change would newly allow.
type Reason struct {
	Kind Kind
	Text string
}

const (
	maxKnown = 512
)

// MergeKnownTools returns a copy of known with the tools of is added or updated. The keys are names of tools, and the
// values describe what the user accepts of a tool, as JSON. New tools beyond 512 are left out.
func MergeKnownTools(known map[string]string, is manifest.Plan) map[string]string {
	all := maps.Clone(known)
	if all == nil {
		all = map[string]string{}
	}
	for _, t := range is.Tools {
		if _, again := all[t.Name]; again || len(all) < maxKnown {
			all[t.Name] = form(t).text()
		}
	}
	return all
}

// Compare returns what the plan is would allow beyond the plan was. known contains the tools that the panel ever had,
// as MergeKnownTools returns them.
func Compare(was, is manifest.Plan, known map[string]string) []Reason {
	c := &comparison{}
	c.permissions(was.Manifest.Permissions, is.Manifest.Permissions)
	c.page(was.Manifest.UI, is.Manifest.UI)
	c.settings(was.Manifest.Config, is.Manifest.Config)
	c.backend(was.Manifest.Backend, is.Manifest.Backend)
	for _, t := range is.Tools {
		c.tool(t, known)
	}
	return c.reasons
}

type comparison struct{ reasons []Reason }

func (c *comparison) add(kind Kind, format string, args ...any) {
	c.reasons = append(c.reasons, Reason{kind, fmt.Sprintf(format, args...)})
}

func added(was, is []string) []string {
	return slices.DeleteFunc(slices.Clone(is), func(s string) bool { return slices.Contains(was, s) })
}

func (c *comparison) permissions(was, is manifest.Permissions) {
	if is.Net.Any && !was.Net.Any {
		c.add(KindPermission, "It may reach any host.")
	}
	if hosts := added(was.Net.List, is.Net.List); len(hosts) > 0 && !was.Net.Any {
		c.add(KindPermission, "It may reach %s.", listed(hosts))
	}
	if paths := added(was.FS, is.FS); len(paths) > 0 {
		c.add(KindPermission, "It may access the files in %s.", listed(paths))
	}
	if is.Exec && !was.Exec {
		c.add(KindPermission, "It may start other programs.")
	}
	if tools := added(was.CallTools, is.CallTools); len(tools) > 0 {
		c.add(KindPermission, "It may call %s.", listed(tools))
	}
}

func (c *comparison) page(was, is *manifest.UI) {
	before, after := sources(was), sources(is)
	for _, key := range slices.Sorted(maps.Keys(after)) {
		if added := added(before[key], after[key]); len(added) > 0 {
			c.add(KindPermission, "Its page may use %s (%s).", listed(added), excerpt.Escape(key))
		}
	}
}

func sources(ui *manifest.UI) map[string][]string {
	if ui == nil {
		return nil
	}
	return map[string][]string{
		"connectDomains": ui.CSP.ConnectDomains, "resourceDomains": ui.CSP.ResourceDomains,
		"frameDomains": ui.CSP.FrameDomains, "baseUriDomains": ui.CSP.BaseURIDomains,
	}
}

func (c *comparison) settings(was, is map[string]manifest.ConfigField) {
	for _, name := range slices.Sorted(maps.Keys(is)) {
		if was[name].Sensitive && !is[name].Sensitive {
			c.add(KindPermission, "Its setting %s is no longer secret.", excerpt.Escape(name))
		}
	}
}

func (c *comparison) backend(was, is *manifest.Backend) {
	before, after := backendText(was), backendText(is)
	switch {
	case before == after || is == nil:
	case was == nil:
		c.add(KindCommand, "Its tools are answered by %s.", after)
	default:
		c.add(KindCommand, "Its tools are answered by %s instead of %s.", after, before)
	}
}

func backendText(b *manifest.Backend) string {
	if b == nil {
		return ""
	}
	parts := []string{b.Kind}
	for _, word := range append([]string{b.Command}, b.Args...) {
		if word != "" {
			parts = append(parts, quoted(word))
		}
	}
	for _, word := range []string{b.URL, b.File} {
		if word != "" {
			parts = append(parts, quoted(word))
		}
	}
	return strings.Join(parts, " ")
}

func quoted(word string) string { return "“" + excerpt.Escape(word) + "”" }

func listed(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = quoted(w)
	}
	return strings.Join(out, ", ")
}
