package manifest

import (
	"slices"
	"strconv"
	"strings"

	"sextant/backend/tools/panels/manifest/loose"
)

// coerced is a right value for pointer, as JSON, made from n, which is of the wrong kind:
// the forms that people and models write instead of the right one.
func (j *judge) coerced(pointer string, s *shape, n *loose.Node) string {
	switch parts := strings.Split(pointer, "/"); {
	case pointer == "/panel_id":
		return loose.Quote(j.id())
	case len(parts) == 3 && parts[1] == "config":
		return configOf(n)
	case len(parts) == 3 && parts[1] == "tools" && n.Kind == loose.String:
		return j.toolOf(n.Text)
	case len(parts) == 3 && parts[1] == "tools":
		return j.toolOf("")
	case len(parts) == 4 && parts[1] == "tools":
		if right := j.coercedInTool(pointer, parts[3], s, n); right != "" {
			return right
		}
	default:
		if right := coercedInPanel(pointer, n); right != "" {
			return right
		}
	}
	return s.coerced(n)
}

// coercedInPanel is coerced for the members of the manifest itself; "" leaves it to their shape.
func coercedInPanel(pointer string, n *loose.Node) string {
	switch {
	case pointer == "/ui" && n.Kind == loose.String && strings.HasSuffix(n.Text, ".json"):
		return `{"kind": "declarative", "entry": ` + loose.Quote(n.Text) + `}`
	case pointer == "/ui" && n.Kind == loose.String && strings.HasSuffix(n.Text, ".html"):
		return `{"kind": "webview", "entry": ` + loose.Quote(n.Text) + `}`
	case pointer == "/backend" && n.Kind == loose.String:
		return backendOf(n.Text)
	case pointer == "/activity_bar" && n.Kind == loose.Number:
		if v, ok := number(n); ok {
			return `{"order": ` + strconv.Itoa(max(-1_000_000, min(v, 1_000_000))) + `}`
		}
	case pointer == "/activity_bar" && n.Kind == loose.String && (n.Text == "top" || n.Text == "bottom"):
		return `{"section": ` + loose.Quote(n.Text) + `}`
	case pointer == "/permissions" && n.Kind == loose.Array:
		return permissionsOf(n)
	case pointer == "/tools" && n.Kind == loose.Object:
		return toolsOf(n)
	}
	return ""
}

// coercedInTool is coerced for a member of a tool; "" leaves it to its shape.
func (j *judge) coercedInTool(pointer, member string, s *shape, n *loose.Node) string {
	switch {
	case member == "parameters" && n.Kind == loose.Array:
		return parametersOf(n)
	case member == "endpoint":
		return loose.Quote(j.endpointFor(endpointText(n), j.toolAt(pointer)))
	case member == "name":
		return j.sensible(pointer, s)
	case member == "examples" && n.Kind == loose.Object:
		return "[" + n.JSON() + "]"
	case member == "inject" && n.Kind == loose.String:
		return listed([]string{n.Text})
	}
	return ""
}

// endpointText is an endpoint written as an object or a list in one line.
func endpointText(n *loose.Node) string {
	var words []string
	for _, name := range []string{"method", "verb", "path", "url"} {
		if one := n.Get(name); one != nil && one.Kind == loose.String {
			words = append(words, one.Text)
		}
	}
	for _, item := range n.Items {
		if item.Kind == loose.String {
			words = append(words, item.Text)
		}
	}
	return strings.Join(words, " ")
}

// backendOf is a backend said in one string: an address, a script or a command line.
func backendOf(text string) string {
	words := strings.Fields(text)
	switch {
	case strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://"):
		return `{"kind": "http", "url": ` + loose.Quote(text) + `}`
	case len(words) == 1 && (strings.HasSuffix(text, ".js") || strings.HasSuffix(text, ".mjs")):
		return `{"kind": "script", "file": ` + loose.Quote(text) + `}`
	case len(words) > 1:
		return `{"kind": "process", "command": ` + loose.Quote(words[0]) + `, "args": ` + listed(words[1:]) + `}`
	}
	return specBackend().sample
}

// permissionsOf is a list of names as other systems have it.
func permissionsOf(n *loose.Node) string {
	var members []string
	for _, item := range n.Items {
		var one string
		switch name := specPermissions().nearest(item.Text, &loose.Node{}); name {
		case "net", "exec":
			one = `"` + name + `": true`
		case "fs":
			one = `"fs": ["~/Documents"]`
		default:
			continue
		}
		if !slices.Contains(members, one) {
			members = append(members, one)
		}
	}
	return "{" + strings.Join(members, ", ") + "}"
}

// toolsOf is one tool, or tools by their names, as a list.
func toolsOf(n *loose.Node) string {
	if n.Get("name") != nil || n.Get("endpoint") != nil {
		return "[" + n.JSON() + "]"
	}
	var tools []string
	for _, m := range n.Members {
		if m.Value.Kind == loose.Object {
			one := &loose.Node{Kind: loose.Object, Members: []loose.Member{{Name: "name", Value: &loose.Node{Kind: loose.String, Text: m.Name}}}}
			one.Members = append(one.Members, m.Value.Members...)
			tools = append(tools, one.JSON())
		}
	}
	return "[" + strings.Join(tools, ", ") + "]"
}

// toolOf is a tool of which only the name is known.
func (j *judge) toolOf(name string) string {
	name = joined(name, '_', 61)
	if !ruleTool.MatchString(name) {
		name = joined(j.id(), '_', 50) + "_do"
	}
	return `{"name": ` + loose.Quote(name) + `, "description": ` + loose.Quote(words(name)+". Answers with the result.") + `, "endpoint": ` + loose.Quote(j.endpointFor("", name)) + `, "parameters": {}}`
}

// configOf is a setting said by its default alone.
func configOf(n *loose.Node) string {
	switch n.Kind {
	case loose.String:
		if slices.Contains([]string{"string", "number", "integer", "boolean"}, n.Text) {
			return `{"type": ` + loose.Quote(n.Text) + `}`
		}
		return `{"type": "string", "default": ` + n.JSON() + `}`
	case loose.Number:
		return `{"type": "number", "default": ` + n.JSON() + `}`
	case loose.Bool:
		return `{"type": "boolean", "default": ` + n.JSON() + `}`
	}
	return `{"type": "string"}`
}

// parametersOf is a list of parameters, each with its name inside or only a name.
func parametersOf(n *loose.Node) string {
	out := &loose.Node{Kind: loose.Object}
	for _, item := range n.Items {
		name := item
		value := &loose.Node{Kind: loose.Object, Members: []loose.Member{{Name: "type", Value: &loose.Node{Kind: loose.String, Text: "string"}}}}
		if item.Kind == loose.Object {
			name = item.Get("name")
			value = &loose.Node{Kind: loose.Object}
			for _, m := range item.Members {
				if m.Name != "name" {
					value.Members = append(value.Members, m)
				}
			}
		}
		if name != nil && name.Kind == loose.String && name.Text != "" {
			out.Members = append(out.Members, loose.Member{Name: name.Text, Value: value})
		}
	}
	return out.JSON()
}
