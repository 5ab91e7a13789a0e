package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/tools/mcp/apps"
	"sextant/backend/tools/mcp/tasks"
	"sextant/backend/tools/panels/argschema"
	"sextant/shared/toolspec"
)

// Bounds of what a server may put into the Catalogue.
const (
	maxTools       = 128
	maxSchema      = 64 << 10
	maxDescription = 4000
	maxName        = 64
)

// tool is one tool of a server: its own name, and the part after "server__" of ours.
type tool struct {
	theirs string
	ours   string
	def    toolspec.Definition
	// ui is what the server says of showing it and of who may call it.
	ui apps.Tool
	// changed is what the server says of it now, where that is not what the person knows; def is
	// then still what they know. Nil otherwise.
	changed *sdk.Tool
	// added is true of a tool of ours, which the server does not know.
	added bool
	// asTask is true of one that answers only where it is asked for as a task.
	asTask bool
}

// public is the name in the Catalogue.
func (t tool) public(prefix string) string { return fit(prefix + "__" + t.ours) }

// fit shortens a name to what models' services accept, keeping it distinct.
func fit(name string) string {
	if len(name) <= maxName {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return name[:maxName-9] + "_" + hex.EncodeToString(sum[:4])
}

// snake turns any name into snake_case of small ASCII letters, digits and single
// underscores: "getWeather" and "get-weather" become "get_weather".
func snake(name string) string {
	var b strings.Builder
	var last rune
	for _, c := range name {
		if unicode.IsUpper(c) && (unicode.IsLower(last) || unicode.IsDigit(last)) {
			b.WriteByte('_')
		}
		last = c
		c = unicode.ToLower(c)
		if c > unicode.MaxASCII || !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			c = '_'
		}
		b.WriteRune(c)
	}
	out := strings.Join(strings.FieldsFunc(b.String(), func(c rune) bool { return c == '_' }), "_")
	if out == "" || out[0] >= '0' && out[0] <= '9' {
		out = "t_" + out
	}
	return strings.TrimSuffix(out, "_")
}

// marked is what the form of a name in a collision ends in.
var marked = regexp.MustCompile(`_[0-9a-f]{8}$`)

// distinct gives each of names a snake_case form of its own, which does not depend on their order:
// where several would have the same, each is marked with a hash of its name, and so is one that looks
// marked already. A name is left out whose mark is another's as well: two that were made to be so.
func distinct(names []string) map[string]string {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	alike := map[string]int{}
	for _, name := range names {
		alike[snake(name)]++
	}
	out, of := map[string]string{}, map[string][]string{}
	for _, name := range names {
		form := snake(name)
		if alike[form] > 1 || marked.MatchString(form) {
			sum := sha256.Sum256([]byte(name))
			form += "_" + hex.EncodeToString(sum[:4])
		}
		out[name], of[form] = form, append(of[form], name)
	}
	for _, same := range of {
		for _, name := range same {
			if len(same) > 1 {
				delete(out, name)
			}
		}
	}
	return out
}

// prefixes are the servers' parts of tool names.
func prefixes(entries map[string]Entry) map[string]string {
	out := distinct(slices.Collect(maps.Keys(entries)))
	for name := range entries {
		if out[name] == "" {
			sum := sha256.Sum256([]byte(name))
			out[name] = "t_" + hex.EncodeToString(sum[:16])
		}
	}
	return out
}

// named leaves of found what can be told apart by name, and says which form each has. Names that the
// server gave before count as well: a form under which something was allowed never comes to mean
// another tool, in whatever order and company the server lists it.
func (v *server) named(ctx context.Context, found []*sdk.Tool) ([]*sdk.Tool, map[string]string, error) {
	before, err := v.known(ctx)
	if err != nil {
		return nil, nil, err
	}
	names := slices.Collect(maps.Keys(before.Tools))
	for _, t := range found {
		names = append(names, t.Name)
	}
	prefix := ""
	v.set(func() { prefix = v.prefix })
	forms, shared := distinct(names), map[string]int{}
	for _, form := range forms {
		shared[tool{ours: form}.public(prefix)]++
	}
	seen := map[string]bool{}
	kept := make([]*sdk.Tool, 0, len(found))
	for _, t := range found {
		form := forms[t.Name]
		if seen[t.Name] || form == "" || shared[tool{ours: form}.public(prefix)] > 1 {
			v.log.Warn("tool of MCP server left out: it cannot be told from another by its name", "tool", shorten(t.Name, maxName))
			continue
		}
		seen[t.Name] = true
		kept = append(kept, t)
	}
	return kept, forms, nil
}

// list asks session for its tools and takes them over.
func (v *server) list(ctx context.Context, session *sdk.ClientSession) error {
	ctx, cancel := context.WithTimeout(ctx, listLimit)
	defer cancel()
	var found []*sdk.Tool
	for one, err := range session.Tools(ctx, nil) {
		if err != nil {
			return err
		}
		if found = append(found, one); len(found) >= maxTools {
			v.log.Warn("MCP server has too many tools; the rest is left out", "limit", maxTools)
			break
		}
	}
	found, forms, err := v.named(ctx, found)
	if err != nil {
		return err
	}
	known, err := v.meet(ctx, found)
	if err != nil {
		return err
	}
	tools := make([]tool, 0, len(found))
	for _, now := range found {
		one, changed := now, (*sdk.Tool)(nil)
		if was := known[now.Name]; was != nil {
			one, changed = was, now
		}
		def, err := v.define(one)
		if err != nil {
			v.log.Warn("tool of MCP server left out", "tool", one.Name, "error", err)
			continue
		}
		ui := apps.ToolOf(now.Meta)
		def.App = ui.URI
		asTask, long := tasks.Support(session, now)
		if long {
			def.TimeoutMS = toolspec.MaxTimeoutMS
		}
		tools = append(tools, tool{theirs: one.Name, ours: forms[one.Name], def: def, ui: ui, changed: changed, asTask: asTask})
	}
	tools = append(tools, v.own(session)...)
	v.set(func() { v.tools = tools })
	return nil
}

// define turns a server's tool into a Definition without a name.
func (v *server) define(t *sdk.Tool) (toolspec.Definition, error) {
	schema, err := inputSchema(t.InputSchema)
	if err != nil {
		return toolspec.Definition{}, err
	}
	description := t.Description
	if description == "" {
		description = t.Title
	}
	return toolspec.Definition{
		Description: shorten(description, maxDescription), Parameters: schema, Origin: toolspec.OriginMCP, Owner: v.name, Group: "mcp",
		TimeoutMS: int(callLimit.Milliseconds()), Hints: hints(t.Annotations, v.entry.Command == ""),
	}, nil
}

// hints believes a server where it warns and never where it reassures: readOnlyHint makes
// nothing free. Every tool is marked to be confirmed, so that its first use asks; what a
// person then grants is theirs to choose.
func hints(a *sdk.ToolAnnotations, remote bool) toolspec.Hints {
	says := func(p *bool) bool { return p != nil && *p }
	h := toolspec.Hints{Confirm: true, OpenWorld: remote}
	if a != nil {
		h.Destructive, h.OpenWorld = says(a.DestructiveHint), remote || says(a.OpenWorldHint)
		h.Idempotent = a.IdempotentHint
	}
	return h
}

func inputSchema(from any) (json.RawMessage, error) {
	b, err := json.Marshal(from)
	if err != nil {
		return nil, fmt.Errorf("its schema is not JSON: %w", err)
	}
	if len(b) > maxSchema {
		return nil, fmt.Errorf("its schema is larger than %d KB", maxSchema>>10)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(b, &members); err != nil || members == nil {
		members = map[string]json.RawMessage{}
	}
	if kind := string(members["type"]); kind != `"object"` {
		if kind != "" {
			return nil, fmt.Errorf("its schema has type %s, not object", kind)
		}
		members["type"] = json.RawMessage(`"object"`)
	}
	if b, err = json.Marshal(members); err != nil {
		return nil, fmt.Errorf("its schema is not JSON: %w", err)
	}
	if err := argschema.Check(b); err != nil {
		return nil, fmt.Errorf("its schema cannot be used: %w", err)
	}
	return b, nil
}

// shorten cuts outside text to n characters.
func shorten(text string, n int) string {
	runes := []rune(strings.ToValidUTF8(text, "�"))
	if len(runes) <= n {
		return string(runes)
	}
	return string(runes[:n]) + "…"
}

// Definitions are the tools of all running servers but those that are for a server's own page alone;
// they do not depend on the panel.
func (s *Servers) Definitions(string) []toolspec.Definition {
	s.mu.Lock()
	defer s.mu.Unlock()
	var defs []toolspec.Definition
	for _, name := range slices.Sorted(maps.Keys(s.servers)) {
		v := s.servers[name]
		for _, t := range v.tools {
			if !t.ui.Model {
				continue
			}
			def := t.def
			def.Name = t.public(v.prefix)
			defs = append(defs, def)
		}
	}
	return defs
}

// ToolName is the Catalogue's name of a server's tool, whichever of its two names is
// given; ok is false when the server is not running or has no such tool.
func (s *Servers) ToolName(server, name string) (public string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.servers[server]
	if v == nil {
		return "", false
	}
	for _, t := range v.tools {
		if !t.added && t.theirs == name || t.ours == name || t.public(v.prefix) == name {
			return t.public(v.prefix), true
		}
	}
	return "", false
}
