package manifest

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"sextant/backend/panels/manifest/condition"
	"sextant/backend/pipeline/nearest"
	"sextant/backend/toolprovider/jsonpos"
	"sextant/shared/excerpt"
)

// builtinPage is the kind of page that only built-in panels can have.
const builtinPage = "builtin"

func (c *checker) checkIdentity() {
	m := &c.manifest
	for _, need := range []struct{ name, value string }{
		{"panel_id", m.PanelID}, {"panel_type", m.PanelType}, {"title", m.Title},
	} {
		if at := "/" + need.name; c.usable(at) && strings.TrimSpace(need.value) == "" {
			c.fail(at, Problem{Expected: "1 to 80 characters", Text: need.name + " is empty"}, c.example(at))
		}
	}
	if !c.usable("/panel_id") {
		return
	}
	id, folder := excerpt.TruncateRunes(m.PanelID, 60), excerpt.TruncateRunes(c.folder, 60)
	switch {
	case !idForm.MatchString(m.PanelID):
		const form = "a small letter, then 1 to 48 small letters, digits and hyphens"
		c.fail("/panel_id", Problem{
			Expected: form, Nearest: c.id(),
			Text: fmt.Sprintf("panel_id %q is not allowed: %s", id, form),
		},
			quote(c.id()))
	case reservedID(m.PanelID):
		c.fail("/panel_id", Problem{
			Expected: "an id that is not a route of Sextant", Nearest: c.id(),
			Text: fmt.Sprintf("panel_id %q is reserved for routes of Sextant", id),
		}, quote(c.id()))
	case m.PanelID != c.folder && CheckID(c.folder) != nil:
		// The name of the folder cannot be an id, so the folder has to be renamed.
		c.fail("/panel_id", Problem{
			Expected: quote(id), Nearest: id, Found: "the folder " + strconv.Quote(folder),
			Text: fmt.Sprintf("the folder is called %q, which cannot be a panel's id; call the folder %s", folder, id),
		}, quote(id))
	case m.PanelID != c.folder:
		c.fail("/panel_id", Problem{
			Expected: quote(c.folder) + ", the folder's name", Nearest: c.folder,
			Text: fmt.Sprintf("panel_id is %q but the folder is called %q; they must be the same", id, folder),
		}, quote(c.folder))
	}
}

func (c *checker) checkPage() {
	page := c.manifest.UI
	switch {
	case page == nil || !c.usable("/ui/kind"):
	case page.Kind == builtinPage:
		if !c.builtin {
			c.fail("/ui", Problem{
				Expected: "declarative or webview", Found: `kind "builtin"`,
				Text: "ui.kind builtin is for the panels inside Sextant; leave ui out",
			}, c.example("/ui"))
		}
	case page.Kind == "webview":
		c.checkWebview(page)
	case !c.usable("/ui/entry"):
	case !filepath.IsLocal(page.Entry), strings.ContainsAny(page.Entry, "\\\x00"),
		filepath.Ext(page.Entry) != ".json", page.Entry == FileName:
		c.fail("/ui/entry", Problem{
			Expected: "a .json file in the panel's folder",
			Text: fmt.Sprintf("ui.entry %q is not a .json file in the panel's folder, such as \"page.json\"",
				excerpt.TruncateRunes(page.Entry, 80)),
		}, `"page.json"`)
	}
}

func (c *checker) checkContext() {
	keys := c.manifest.Context
	for i, key := range keys {
		at := "/context/" + strconv.Itoa(i)
		switch {
		case !c.usable(at):
		case !keyForm.MatchString(key):
			c.fail(at, Problem{
				Expected: "a name: letters, digits, _ . and -",
				Text: fmt.Sprintf("the key %q is not a name of letters, digits, _ . and -",
					excerpt.TruncateRunes(key, 60)),
			}, quote(keyLike(key)))
		case slices.Contains(keys[:i], key):
			c.fail(at, Problem{
				Expected: "each key once", Text: fmt.Sprintf("the key %q occurs twice", excerpt.TruncateRunes(key, 60)),
				Fix: `"context": ` + quoteList(slices.Concat(keys[:i], keys[i+1:])),
			}, "")
		}
	}
}

func keyLike(text string) string {
	if key := slug(text, '_', 60); keyForm.MatchString(key) {
		return key
	}
	return "key"
}

func (c *checker) checkPermissions() {
	p := c.manifest.Permissions
	for i, host := range p.Net.List {
		at := "/permissions/net/" + strconv.Itoa(i)
		if c.usable(at) && (host == "" || strings.ContainsAny(host, "/ @:?#")) {
			example := "api.example.com"
			if u, err := url.Parse(host); err == nil && u.Hostname() != "" {
				example = u.Hostname()
			}
			c.fail(at, Problem{
				Expected: "a host name, such as api.example.com",
				Text:     fmt.Sprintf("%q is not a host name", excerpt.TruncateRunes(host, 60)),
			}, quote(example))
		}
	}
	for i, path := range p.FS {
		at := "/permissions/fs/" + strconv.Itoa(i)
		c.checkPlain(at, path, "~/Documents")
		if c.usable(at) && !strings.HasPrefix(path, "/") && path != "~" && !strings.HasPrefix(path, "~/") {
			c.fail(at, Problem{
				Expected: "an absolute path or one below ~",
				Text: fmt.Sprintf("%q is relative; a program stores its own files in SEXTANT_PANEL_DATA, which "+
					"needs no permission",
					excerpt.TruncateRunes(path, 60)),
			}, quote("~/"+strings.TrimLeft(path, "./")))
		}
	}
	for i, tool := range p.CallTools {
		c.checkPlain("/permissions/call_tools/"+strconv.Itoa(i), tool, "read_file")
	}
}

func (c *checker) checkPlain(at, value, sample string) {
	if c.usable(at) && (strings.TrimSpace(value) == "" || strings.ContainsAny(value, "\x00\n\r")) {
		c.fail(at, Problem{Expected: "a name such as " + sample}, quote(sample))
	}
}

func (c *checker) checkConfig() {
	for _, name := range slices.Sorted(maps.Keys(c.manifest.Config)) {
		at := jsonpos.Pointer("/config", name)
		if !c.usable(at) {
			continue
		}
		if !keyForm.MatchString(name) {
			p := Problem{
				Pointer: at, Expected: "a name: letters, digits, _ . and -",
				Found: strconv.Quote(excerpt.TruncateRunes(name, 60)),
			}
			p.Text = fmt.Sprintf("the setting %q is not a name of letters, digits, _ . and -",
				excerpt.TruncateRunes(name, 60))
			p.Fix = excerpt.TruncateRunes(quote(keyLike(name))+": "+c.index.Raw(at), 2000)
			c.report(c.index.Keys[at], p)
		}
		at += "/default"
		raw := c.index.Raw(at)
		if raw == "" || raw == "null" || !c.usable(at) || !c.usable(parent(at)+"/type") {
			continue
		}
		want := &node{Type: oneOrMore{c.manifest.Config[name].Type}, Maximum: 1 << 30, Minimum: -1 << 30}
		if !hasType(raw, want.Type[0]) {
			right := want.convert(raw)
			if right == "" {
				right = want.example()
			}
			c.fail(at, Problem{
				Expected: want.phrase(),
				Text: fmt.Sprintf("the default of %s should be %s, not %s", excerpt.TruncateRunes(name, 60),
					want.phrase(),
					found(raw)),
			}, right)
		}
	}
}

func hasType(raw, name string) bool {
	number, err := strconv.ParseFloat(raw, 64)
	switch name {
	case "string":
		return raw[0] == '"'
	case "boolean":
		return raw == "true" || raw == "false"
	case "integer":
		return err == nil && number == float64(int(number))
	}
	return err == nil
}

func (c *checker) checkCondition(at, text string) {
	if text == "" || !c.usable(at) {
		return
	}
	expr, err := condition.Parse(text)
	var failure *condition.Error
	if errors.As(err, &failure) {
		repaired := condition.Repair(text)
		p := Problem{Expected: failure.Expected, Found: failure.Found, Nearest: repaired}
		p.Text = fmt.Sprintf("the condition %q cannot be read at character %d: expected %s, found %s",
			excerpt.TruncateRunes(text, 80),
			1+len([]rune(text[:failure.Offset])), failure.Expected, failure.Found)
		c.fail(at, p, quote(repaired))
		// Report the position within the string, unless escapes before it would shift it.
		if last := &c.problems[len(c.problems)-1]; !strings.Contains(c.index.Raw(at), `\`) {
			last.Line, last.Column = c.index.Position(c.index.Values[at].Start + 1 + failure.Offset)
		}
		return
	}
	known := append(slices.Clone(c.manifest.Context), "panel.active", "panel.pinned", "platform")
	for name := range c.manifest.Config {
		known = append(known, "config."+name)
	}
	for _, name := range expr.Names() {
		if slices.Contains(known, name.Text) {
			continue
		}
		near, hint, fix := nearest.Name(name.Text, known), "", ""
		if near != "" {
			hint = fmt.Sprintf("; did you mean %q", near)
			fix = c.piece(at, quote(text[:name.Offset]+near+text[name.Offset+len(name.Text):]))
		}
		c.warn(at, fix, "the condition uses %q, which neither the panel's context nor Sextant has, so it is always "+
			"null%s",
			excerpt.TruncateRunes(name.Text, 60), hint)
		c.problems[len(c.problems)-1].Nearest = near
	}
}

func parseCondition(text string) *condition.Expr {
	expr, err := condition.Parse(text)
	if err != nil {
		return nil
	}
	return expr
}

// backendMembers lists for each member the kinds of backend for which it is accepted without a warning.
var backendMembers = []struct {
	name  string
	kinds []string
}{
	{"command", []string{"process", "mcp"}},
	{"args", []string{"process", "mcp"}},
	{"url", []string{"http", "mcp"}},
	{"file", []string{"script"}},
	{"health", []string{"process", "http"}},
	{"stdio", []string{"process"}},
	{"idle_seconds", []string{"process", "mcp", "script"}},
}

func (c *checker) checkBackend() {
	b := c.manifest.Backend
	switch {
	case b == nil || !c.usable("/backend"):
		return
	case c.builtin:
		c.fail("/backend", Problem{
			Expected: "no backend", Text: "a built-in panel is answered by Sextant itself and has no backend",
			Fix: `"ui": {"kind": "builtin"}`,
		}, "")
		return
	}
	if c.usable("/backend/health") && b.Health != "" {
		if checkPath(b.Health, c.prefix(b.Health)) != "" || strings.Contains(b.Health, "{") {
			c.fail("/backend/health", Problem{
				Expected: "a path below /api/" + c.id() + "/",
				Text: fmt.Sprintf("health %q is not a path below /api/%s/", excerpt.TruncateRunes(b.Health, 80),
					c.id()),
			}, c.example("/backend/health"))
		}
	}
	if !c.usable("/backend/kind") {
		return
	}
	for _, m := range backendMembers {
		if at := "/backend/" + m.name; c.usable(at) && !slices.Contains(m.kinds, b.Kind) {
			c.warn(at, "", "%s has no effect for a backend of kind %s", m.name, b.Kind)
		}
	}
	switch {
	case b.Kind == "process", b.Kind == "mcp" && c.usable("/backend/command"):
		c.checkCommand(b)
	case b.Kind == "http", b.Kind == "mcp":
		c.checkURL(b.URL)
	case !c.usable("/backend/file"):
	case !filepath.IsLocal(b.File), strings.Contains(b.File, `\`), filepath.Ext(b.File) != ".js" &&
		filepath.Ext(b.File) != ".mjs":
		c.fail("/backend/file", Problem{
			Expected: "a .js file in the panel's folder",
			Text: fmt.Sprintf("backend.file %q is not a .js file in the panel's folder, such as \"backend.js\"",
				excerpt.TruncateRunes(b.File, 80)),
		}, `"backend.js"`)
	}
}

func (c *checker) checkCommand(b *Backend) {
	words := strings.Fields(b.Command)
	switch {
	case !c.usable("/backend/command"):
	case len(words) == 0:
		c.fail("/backend/command", Problem{
			Expected: "the program to run", Text: "backend.command is missing: the program to run, such as \"node\"",
		}, `"node"`)
	case len(b.Args) == 0 && !strings.Contains(b.Command, "/") && len(words) > 1:
		c.warn("/backend/command", `"command": `+quote(words[0])+`, "args": `+quoteList(words[1:]),
			"command is one program; its arguments belong in args")
	}
	for i, text := range append([]string{b.Command}, b.Args...) {
		at := "/backend/command"
		if i > 0 {
			at = "/backend/args/" + strconv.Itoa(i-1)
		}
		if c.usable(at) && strings.ContainsRune(text, 0) {
			c.fail(at, Problem{
				Expected: "text without NUL", Found: "a NUL character",
				Text: "the command holds a NUL character",
			},
				quote(strings.ReplaceAll(text, "\x00", "")))
		}
	}
}

func (c *checker) checkURL(raw string) {
	const at = "/backend/url"
	if !c.usable(at) {
		return
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		c.fail(at, Problem{
			Expected: "an http or https address", Text: fmt.Sprintf("%q is not an http or https address",
				excerpt.TruncateRunes(raw, 100)),
		}, c.example(at))
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		c.fail(at, Problem{
			Expected: "an address without user, query and fragment",
			Text:     "backend.url may hold no user, query or fragment",
		}, quote(u.Scheme+"://"+u.Host+u.Path))
	case !IsLoopback(u.Hostname()) && !c.manifest.Permissions.Net.Any &&
		!slices.Contains(c.manifest.Permissions.Net.List, u.Hostname()) && !c.unusable("/permissions/net"):
		c.notGranted(at, u.Hostname(), fmt.Sprintf("backend.url leads to %s; add that host to permissions.net, "+
			"or use an address of this machine", excerpt.TruncateRunes(u.Hostname(), 100)))
	}
}

// notGranted reports a host that is not in permissions.net. It suggests permissions.net with that host added.
func (c *checker) notGranted(at, host, text string) {
	hosts := append(slices.Clone(c.manifest.Permissions.Net.List), host)
	c.fail(at, Problem{
		Expected: "a host in permissions.net", Found: "the host " + excerpt.TruncateRunes(host, 100), Text: text,
		Fix: `"permissions": {"net": ` + quoteList(hosts) + `}`,
	}, "")
}
