package manifest

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sextant/backend/calls/nearest"
	"sextant/backend/tools/panels/manifest/loose"
	"sextant/backend/tools/panels/manifest/mend"
	"sextant/backend/tools/panels/manifest/shape"
	"sextant/backend/tools/panels/manifest/when"
	"sextant/shared/clip"
)

func (j *judge) identity() {
	m := &j.manifest
	for _, need := range []struct{ name, value string }{{"panel_id", m.PanelID}, {"panel_type", m.PanelType}, {"title", m.Title}} {
		at := "/" + need.name
		if j.usable(at) && strings.TrimSpace(need.value) == "" {
			j.wrong(at, Problem{Expected: "1 to 80 characters", Text: need.name + " is missing: it is empty"}, j.sensible(at, nil))
		}
	}
	if !j.usable("/panel_id") {
		return
	}
	p := Problem{Expected: loose.Quote(j.id()), Nearest: j.id()}
	switch {
	case !shape.IsID(m.PanelID):
		p.Expected = "a small letter, then 1 to 48 small letters, digits and hyphens"
		p.Text = fmt.Sprintf("panel_id %q is not allowed: a small letter, then 1 to 48 small letters, digits and hyphens", clip.Runes(m.PanelID, 60))
	case reservedID(m.PanelID):
		p.Text = fmt.Sprintf("panel_id %q is reserved for routes of Sextant", m.PanelID)
		p.Expected = "an id that is no route of Sextant"
	case m.PanelID != j.folder && CheckID(j.folder) != nil:
		// The folder's name cannot be an id, so it is the folder that has to change.
		p.Text = fmt.Sprintf("the folder is called %q, which cannot be a panel's id; call the folder %s", clip.Runes(j.folder, 60), m.PanelID)
		p.Fix = `"panel_id": ` + loose.Quote(m.PanelID)
		p.Pointer, p.Found = "/panel_id", "the folder "+strconv.Quote(clip.Runes(j.folder, 60))
		j.report(j.places["/panel_id"].node.Start, p)
		return
	case m.PanelID != j.folder:
		p.Text = fmt.Sprintf("panel_id is %q but the folder is called %q; they must be the same", m.PanelID, clip.Runes(j.folder, 60))
		p.Expected, p.Nearest = loose.Quote(j.folder)+", the folder's name", j.folder
		j.wrong("/panel_id", p, loose.Quote(j.folder))
		return
	default:
		return
	}
	j.wrong("/panel_id", p, loose.Quote(j.id()))
}

// sensible is a value for a member that is missing, made from what is known of the panel.
func (j *judge) sensible(pointer string, s *shape.Shape) string {
	switch {
	case pointer == "/panel_id":
		return loose.Quote(j.id())
	case pointer == "/title":
		if d := j.places["/name"].node; d != nil && d.Kind == loose.String && strings.TrimSpace(d.Text) != "" {
			return loose.Quote(clip.Runes(d.Text, shape.MaxTitle-1))
		}
		return loose.Quote(mend.Title(j.id()))
	case pointer == "/panel_type":
		return `"panel"`
	case strings.HasPrefix(pointer, "/tools/") && strings.HasSuffix(pointer, "/endpoint"):
		return loose.Quote(j.endpointFor("", j.toolAt(pointer)))
	case strings.HasPrefix(pointer, "/tools/") && strings.HasSuffix(pointer, "/name") && strings.Count(pointer, "/") == 3:
		return loose.Quote(j.freeName(pointer, mend.Name(j.id(), '_', 50)+"_do"))
	case strings.HasPrefix(pointer, "/tools/") && strings.HasSuffix(pointer, "/description") && strings.Count(pointer, "/") == 3:
		return loose.Quote(mend.Title(j.toolAt(pointer)) + ". Answers with the result.")
	case strings.HasPrefix(pointer, "/ui/"):
		if kind := j.places["/ui"].node.Get("kind"); kind != nil && kind.Text == "declarative" {
			return `"page.json"`
		}
	}
	return s.Example()
}

// rest judges what the shapes do not say, beside identity and tools.
func (j *judge) rest() {
	m := &j.manifest
	if m.UI != nil && j.usable("/ui") {
		j.ui(m.UI)
	}
	for i, key := range m.Context {
		at := child("/context", strconv.Itoa(i))
		switch {
		case !j.usable(at):
		case !shape.IsKey(key):
			j.wrong(at, Problem{
				Expected: "a name: letters, digits, _ . and -",
				Text:     fmt.Sprintf("the key %q is not a name of letters, digits, _ . and -", clip.Runes(key, 60)),
			}, loose.Quote(mend.Key(key)))
		case slices.Contains(m.Context[:i], key):
			j.surplus(at, Problem{Expected: "each key once", Text: fmt.Sprintf("the key %q stands twice", clip.Runes(key, 60))}, `"context": `+loose.QuoteList(slices.Concat(m.Context[:i], m.Context[i+1:])))
		}
	}
	for i, host := range m.Permissions.Net.List {
		at := child("/permissions/net", strconv.Itoa(i))
		if j.usable(at) && (host == "" || strings.ContainsAny(host, "/ @:?#")) {
			j.wrong(at, Problem{Expected: "a host name, such as api.example.com", Text: fmt.Sprintf("%q is not a host name", clip.Runes(host, 60))}, loose.Quote(mend.Host(host)))
		}
	}
	for i, path := range m.Permissions.FS {
		at := child("/permissions/fs", strconv.Itoa(i))
		switch {
		case !j.usable(at):
		case strings.TrimSpace(path) == "" || strings.ContainsAny(path, "\x00\n\r"):
			j.plain(at, path, "~/Documents")
		case !strings.HasPrefix(path, "/") && path != "~" && !strings.HasPrefix(path, "~/"):
			j.wrong(at, Problem{
				Expected: "an absolute path or one below ~",
				Text:     fmt.Sprintf("%q is relative; what a program keeps for itself goes into SEXTANT_PANEL_DATA, without a permission", clip.Runes(path, 60)),
			}, loose.Quote("~/"+strings.TrimLeft(path, "./")))
		}
	}
	for i, tool := range m.Permissions.CallTools {
		j.plain(child("/permissions/call_tools", strconv.Itoa(i)), tool, "read_file")
	}
	j.config()
	j.condition("/when", m.When, m.Context)
	if m.Backend != nil && j.usable("/backend") {
		j.backend(m.Backend)
	}
}

// plain wants one word or path without control characters.
func (j *judge) plain(at, value, sample string) {
	if j.usable(at) && (strings.TrimSpace(value) == "" || strings.ContainsAny(value, "\x00\n\r")) {
		j.wrong(at, Problem{Expected: "a name such as " + sample}, loose.Quote(sample))
	}
}

func (j *judge) ui(ui *UI) {
	switch {
	case !j.usable("/ui/kind"):
		return
	case ui.Kind == "builtin":
		if !j.builtin {
			j.wrong("/ui", Problem{Expected: "declarative or webview", Found: `kind "builtin"`, Text: "ui.kind builtin is for the panels inside Sextant; leave ui out"}, `{"kind": "webview", "entry": "index.html"}`)
		}
		return
	case !j.usable("/ui/entry"):
		return
	}
	if ui.Kind == "webview" {
		j.webview(ui)
		return
	}
	if ui.Kind == "declarative" && (!filepath.IsLocal(ui.Entry) || strings.ContainsAny(ui.Entry, "\\\x00") || filepath.Ext(ui.Entry) != ".json" || ui.Entry == FileName) {
		j.wrong("/ui/entry", Problem{
			Expected: "a .json file in the panel's folder", Text: fmt.Sprintf("ui.entry %q is not a .json file in the panel's folder, such as \"page.json\"", clip.Runes(ui.Entry, 80)),
		}, `"page.json"`)
	}
}

// config wants defaults of their own type.
func (j *judge) config() {
	fits := map[string][]loose.Kind{"string": {loose.String}, "boolean": {loose.Bool}, "number": {loose.Number}, "integer": {loose.Number}}
	samples := map[string]string{"string": `""`, "boolean": "false", "number": "1", "integer": "1"}
	for name, field := range j.manifest.Config {
		at := child("/config", name)
		if !shape.IsKey(name) && j.usable(at) {
			m := j.places[at].member
			p := Problem{Pointer: at, Expected: "a name: letters, digits, _ . and -", Found: strconv.Quote(clip.Runes(name, 60)), Text: fmt.Sprintf("the setting %q is not a name of letters, digits, _ . and -", clip.Runes(name, 60))}
			p.Fix = clip.Runes(loose.Quote(mend.Key(name))+": "+indented(m.Value.JSON()), 2000)
			j.report(m.Start, p, loose.Edit{Start: m.Start, End: m.End, Text: loose.Quote(mend.Key(name))})
		}
		value := j.places[at+"/default"].node
		if value == nil || value.Kind == loose.Null || !j.usable(at+"/type") || len(fits[field.Type]) == 0 {
			continue
		}
		_, round := shape.Number(value)
		if value.Kind != fits[field.Type][0] || field.Type == "integer" && !round {
			want := &shape.Shape{Kind: fits[field.Type][0], Whole: field.Type == "integer", Sample: samples[field.Type]}
			j.places[at+"/default"] = place{node: value, member: j.memberOf(at, "default")}
			j.wrong(at+"/default", Problem{Expected: want.Phrase(), Text: fmt.Sprintf("the default of %s should be %s, not %s", clip.Runes(name, 60), want.Phrase(), shape.Found(value))}, want.Coerced(value))
		}
	}
}

func (j *judge) memberOf(pointer, name string) *loose.Member {
	node := j.places[pointer].node
	for i := range node.Members {
		if node.Members[i].Name == name {
			return &node.Members[i]
		}
	}
	return nil
}

// condition judges the when at pointer; own are the keys of the panel's context.
func (j *judge) condition(at, text string, own []string) {
	if text == "" || !j.usable(at) {
		return
	}
	expr, err := when.Parse(text)
	var wrong *when.Error
	if errors.As(err, &wrong) {
		j.wrong(at, Problem{
			Expected: wrong.Expected, Found: wrong.Found, Nearest: when.Mend(text),
			Text: fmt.Sprintf("the condition %q cannot be read at its character %d: expected %s, found %s", clip.Runes(text, 80), 1+len([]rune(text[:wrong.Offset])), wrong.Expected, wrong.Found),
		}, loose.Quote(when.Mend(text)))
		// The place inside the string is nearer than its beginning; escapes before it shift it.
		p := &j.findings[len(j.findings)-1]
		if raw := string(j.doc.Text[j.places[at].node.Start:j.places[at].node.End]); !strings.Contains(raw, `\`) {
			p.Line, p.Column = j.doc.Position(j.places[at].node.Start + 1 + wrong.Offset)
		}
		return
	}
	known := slices.Concat(own, hostKeys())
	for name := range j.manifest.Config {
		known = append(known, "config."+name)
	}
	for _, name := range expr.Names() {
		if slices.Contains(known, name.Text) {
			continue
		}
		near, hint, fix := nearest.Name(name.Text, known), "", ""
		if near != "" {
			hint = fmt.Sprintf("; did you mean %q", near)
			fix = piece(j.places[at], loose.Quote(text[:name.Offset]+near+text[name.Offset+len(name.Text):]))
		}
		j.warn(at, fix, "the condition asks for %q, which neither the panel's context nor Sextant knows, so it is always null%s", clip.Runes(name.Text, 60), hint)
		j.findings[len(j.findings)-1].Nearest = near
	}
}

// condition is text as a condition, nil when there is none.
func condition(text string) *when.Expr {
	expr, err := when.Parse(text)
	if err != nil {
		return nil
	}
	return expr
}

// hostKeys are the keys that Sextant itself gives to conditions.
func hostKeys() []string { return []string{"panel.active", "panel.pinned", "platform"} }

func (j *judge) backend(b *Backend) {
	if j.builtin {
		j.surplus("/backend", Problem{Expected: "no backend", Text: "a built-in panel is answered by Sextant itself and has no backend"}, `"ui": {"kind": "builtin"}`)
		return
	}
	if j.usable("/backend/health") && b.Health != "" {
		if problem := shape.CheckPath(b.Health, j.prefixes(b.Health)); problem != "" || strings.Contains(b.Health, "{") {
			j.wrong("/backend/health", Problem{
				Expected: "a path below /api/" + j.id() + "/", Text: fmt.Sprintf("health %q is not a path below /api/%s/", clip.Runes(b.Health, 80), j.id()),
			}, loose.Quote("/api/"+j.id()+"/health"))
		}
	}
	for _, w := range []struct{ name, kind string }{{"command", "process mcp"}, {"args", "process mcp"}, {"url", "http mcp"}, {"file", "script"}, {"health", "process http"}, {"stdio", "process"}, {"idle_seconds", "process mcp script"}} {
		if at := "/backend/" + w.name; j.usable(at) && j.usable("/backend/kind") && !slices.Contains(strings.Fields(w.kind), b.Kind) {
			j.warn(at, "", "%s has no effect for a backend of kind %s", w.name, b.Kind)
		}
	}
	switch {
	case !j.usable("/backend/kind"):
	case b.Kind == "process":
		j.command(b)
	case b.Kind == "mcp" && j.usable("/backend/command"):
		j.command(b)
	case b.Kind == "http", b.Kind == "mcp":
		j.backendURL(b.URL)
	case b.Kind == "script" && j.usable("/backend/file"):
		if !filepath.IsLocal(b.File) || strings.Contains(b.File, `\`) || !slices.Contains([]string{".js", ".mjs"}, filepath.Ext(b.File)) {
			j.wrong("/backend/file", Problem{
				Expected: "a .js file in the panel's folder", Text: fmt.Sprintf("backend.file %q is not a .js file in the panel's folder, such as \"backend.js\"", clip.Runes(b.File, 80)),
			}, `"backend.js"`)
		}
	}
}

func (j *judge) command(b *Backend) {
	switch {
	case !j.usable("/backend/command"):
	case strings.TrimSpace(b.Command) == "":
		j.wrong("/backend/command", Problem{Expected: "the program to run", Text: "backend.command is missing: the program to run, such as \"node\""}, `"node"`)
	case strings.ContainsRune(b.Command, 0):
		j.wrong("/backend/command", Problem{Expected: "a program without NUL", Found: "a NUL character", Text: "the command holds a NUL character"}, loose.Quote(strings.ReplaceAll(b.Command, "\x00", "")))
	case len(b.Args) == 0 && !strings.Contains(b.Command, "/") && len(strings.Fields(b.Command)) > 1:
		parts := strings.Fields(b.Command)
		j.warn("/backend/command", `"command": `+loose.Quote(parts[0])+`, "args": `+loose.QuoteList(parts[1:]), "the command is one program; its arguments belong into args")
	}
	for i, arg := range b.Args {
		if at := child("/backend/args", strconv.Itoa(i)); j.usable(at) && strings.ContainsRune(arg, 0) {
			j.wrong(at, Problem{Expected: "an argument without NUL", Found: "a NUL character", Text: "the command holds a NUL character"}, loose.Quote(strings.ReplaceAll(arg, "\x00", "")))
		}
	}
}

func (j *judge) backendURL(raw string) {
	if !j.usable("/backend/url") {
		return
	}
	u, err := url.Parse(raw)
	p := Problem{Expected: "an http or https address"}
	mended := "http://127.0.0.1:8800"
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		p.Text = fmt.Sprintf("%q is not an http or https address", clip.Runes(raw, 100))
		if m := regexp.MustCompile(`(127\.0\.0\.1|localhost|\[::1\])(:[0-9]{1,5})?`).FindString(raw); m != "" {
			mended = "http://" + m
		} else if m := regexp.MustCompile(`^:?([0-9]{2,5})$`).FindStringSubmatch(raw); m != nil {
			mended = "http://127.0.0.1:" + m[1]
		}
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		p.Text, p.Expected = "backend.url may hold no user, query or fragment", "an address without user, query and fragment"
		mended = u.Scheme + "://" + u.Host + u.Path
	case !Loopback(u.Hostname()) && !j.manifest.Permissions.Net.Any && !slices.Contains(j.manifest.Permissions.Net.List, u.Hostname()) && !j.spoiled("/permissions/net"):
		j.ungranted("/backend/url", u.Hostname(), fmt.Sprintf("backend.url leads to %s; add that host to permissions.net, or use an address of this machine", clip.Runes(u.Hostname(), 100)))
		return
	default:
		return
	}
	j.wrong("/backend/url", p, loose.Quote(mended))
}

// ungranted tells of a host that permissions.net does not name; the mended example is the
// permission.
func (j *judge) ungranted(at, host, says string) {
	net := loose.QuoteList(append(slices.Clone(j.manifest.Permissions.Net.List), host))
	p := Problem{
		Pointer: at, Expected: "a host in permissions.net", Found: "the host " + clip.Runes(host, 100), Text: says,
		Fix: `"permissions": {"net": ` + net + `}`,
	}
	edit := j.insertion(j.doc.Root, p.Fix)
	if at, ok := j.places["/permissions/net"]; ok {
		edit = loose.Edit{Start: at.node.Start, End: at.node.End, Text: net}
	} else if at, ok := j.places["/permissions"]; ok && at.node.Kind == loose.Object {
		edit = j.insertion(at.node, `"net": `+net)
	}
	j.report(j.places[at].node.Start, p, edit)
}
