package mcpclient

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/mcp/apps"
	"sextant/backend/mcp/definitions"
	"sextant/backend/mcp/resources"
	"sextant/backend/mcp/tasks"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

// tool is one tool of a server: theirs is the server's name for it, ours the part of our name after "server__".
type tool struct {
	theirs string
	ours   string
	title  string
	def    toolspec.Definition
	ui     apps.Tool
	// changed is the server's new definition if it differs from the pinned one, which def then still is.
	changed *sdk.Tool
	// added is true for a tool of package resources, which the server itself does not have.
	added  bool
	asTask bool
}

func (t tool) public(prefix string) string { return definitions.PublicName(prefix, t.ours) }

func (t tool) named(name, prefix string) bool {
	return t.theirs == name || t.ours == name || t.public(prefix) == name
}

func (v *server) list(ctx context.Context, session *sdk.ClientSession) error {
	ctx, cancel := context.WithTimeout(ctx, listLimit)
	defer cancel()
	var found []*sdk.Tool
	for one, err := range session.Tools(ctx, nil) {
		if err != nil {
			return err
		}
		if found = append(found, one); len(found) >= definitions.MaxTools {
			v.log.Warn("MCP server has too many tools; the rest is left out", "limit", definitions.MaxTools)
			break
		}
	}
	found, forms, err := v.distinguish(ctx, found)
	if err != nil {
		return err
	}
	changed, err := v.pinTools(ctx, found)
	if err != nil {
		return err
	}
	tools := make([]tool, 0, len(found))
	for _, now := range found {
		t := tool{theirs: now.Name, ours: forms[now.Name], ui: apps.ToolOf(now.Meta)}
		offered := now
		if before := changed[now.Name]; before != nil {
			offered, t.changed = before, now
		}
		if t.def, err = definitions.FromTool(v.name, v.isRemote(), offered); err != nil {
			v.log.Warn("a tool of an MCP server is left out", "tool", now.Name, "err", err)
			continue
		}
		t.def.AppURI, t.title = t.ui.URI, offered.Title
		asTask, long := tasks.Support(session, now)
		if t.asTask = asTask; long {
			t.def.TimeoutMS = toolspec.MaxTimeoutMS
		}
		tools = append(tools, t)
	}
	for _, t := range resources.Tools(v.name, v.isRemote(), resources.Capabilities(session)) {
		tools = append(tools, tool{ours: t.Name, added: true, ui: apps.Tool{ModelCanCall: true}, def: t.Definition})
	}
	v.set(func() { v.tools = tools })
	return nil
}

// distinguish also counts the names of earlier lists: a name that has a grant must never refer to another tool.
func (v *server) distinguish(ctx context.Context, found []*sdk.Tool) ([]*sdk.Tool, map[string]string, error) {
	before, err := v.known(ctx)
	if err != nil {
		return nil, nil, err
	}
	names := slices.Collect(maps.Keys(before.Pins))
	for _, t := range found {
		names = append(names, t.Name)
	}
	prefix := ""
	v.set(func() { prefix = v.prefix })
	forms, owners := definitions.SnakeCaseNames(names), map[string]int{}
	for _, form := range forms {
		owners[definitions.PublicName(prefix, form)]++
	}
	seen := map[string]bool{}
	distinct := make([]*sdk.Tool, 0, len(found))
	for _, t := range found {
		form := forms[t.Name]
		if seen[t.Name] || form == "" || owners[definitions.PublicName(prefix, form)] > 1 {
			v.log.Warn("a tool of an MCP server is left out: its name is too much like another's",
				"tool", excerpt.TruncateRunes(t.Name, definitions.MaxName))
			continue
		}
		seen[t.Name] = true
		distinct = append(distinct, t)
	}
	return distinct, forms, nil
}

// Definitions returns the tools of connected servers that a model may call. It ignores the panel.
func (s *Servers) Definitions(string) []toolspec.Definition {
	s.mu.Lock()
	defer s.mu.Unlock()
	var defs []toolspec.Definition
	for _, name := range slices.Sorted(maps.Keys(s.servers)) {
		v := s.servers[name]
		for _, t := range v.tools {
			if !t.ui.ModelCanCall {
				continue
			}
			def := t.def
			def.Name = t.public(v.prefix)
			defs = append(defs, def)
		}
	}
	return defs
}

// ToolName returns the name of a server's tool in the catalog; name is any of its names. ok is false if the server
// lists no such tool now.
func (s *Servers) ToolName(server, name string) (public string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.servers[server]
	if v == nil {
		return "", false
	}
	for _, t := range v.tools {
		if t.named(name, v.prefix) && (!t.added || t.theirs != name) {
			return t.public(v.prefix), true
		}
	}
	return "", false
}

// Schema returns the input schema of a server's tool; name is any of its names.
func (s *Servers) Schema(server, name string) (json.RawMessage, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v := s.servers[server]; v != nil {
		for _, t := range v.tools {
			if t.named(name, v.prefix) {
				return t.def.Parameters, true
			}
		}
	}
	return nil, false
}
