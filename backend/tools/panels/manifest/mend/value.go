package mend

import (
	"slices"
	"strconv"
	"strings"

	"sextant/backend/tools/panels/manifest/loose"
	"sextant/backend/tools/panels/manifest/shape"
)

// Member is a right value for the member of the manifest at pointer, made from n; "" leaves it
// to the member's shape.
func Member(pointer string, n *loose.Node) string {
	switch {
	case pointer == "/ui" && n.Kind == loose.String && strings.HasSuffix(n.Text, ".json"):
		return `{"kind": "declarative", "entry": ` + loose.Quote(n.Text) + `}`
	case pointer == "/ui" && n.Kind == loose.String && strings.HasSuffix(n.Text, ".html"):
		return `{"kind": "webview", "entry": ` + loose.Quote(n.Text) + `}`
	case pointer == "/backend" && n.Kind == loose.String:
		return backendOf(n.Text)
	case pointer == "/activity_bar" && n.Kind == loose.Number:
		if v, ok := shape.Number(n); ok {
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

// EndpointText is an endpoint written as an object or a list in one line.
func EndpointText(n *loose.Node) string {
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
		return `{"kind": "process", "command": ` + loose.Quote(words[0]) + `, "args": ` + loose.QuoteList(words[1:]) + `}`
	}
	return shape.Backend().Sample
}

// permissionsOf is a list of names as other systems have it.
func permissionsOf(n *loose.Node) string {
	var members []string
	for _, item := range n.Items {
		var one string
		switch name := shape.Permissions().Nearest(item.Text, &loose.Node{}); name {
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

// Setting is a setting said by its default alone.
func Setting(n *loose.Node) string {
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

// Parameters is a list of parameters, each with its name inside or only a name.
func Parameters(n *loose.Node) string {
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
