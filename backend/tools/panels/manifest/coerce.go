package manifest

import (
	"strings"

	"sextant/backend/tools/panels/manifest/loose"
	"sextant/backend/tools/panels/manifest/mend"
	"sextant/backend/tools/panels/manifest/shape"
)

// coerced is a right value for pointer, as JSON, made from n, which is of the wrong kind:
// the forms that people and models write instead of the right one.
func (j *judge) coerced(pointer string, s *shape.Shape, n *loose.Node) string {
	switch parts := strings.Split(pointer, "/"); {
	case pointer == "/panel_id":
		return loose.Quote(j.id())
	case len(parts) == 3 && parts[1] == "config":
		return mend.Setting(n)
	case len(parts) == 3 && parts[1] == "tools" && n.Kind == loose.String:
		return j.toolOf(n.Text)
	case len(parts) == 3 && parts[1] == "tools":
		return j.toolOf("")
	case len(parts) == 4 && parts[1] == "tools":
		if right := j.coercedInTool(pointer, parts[3], s, n); right != "" {
			return right
		}
	default:
		if right := mend.Member(pointer, n); right != "" {
			return right
		}
	}
	return s.Coerced(n)
}

// coercedInTool is coerced for a member of a tool; "" leaves it to its shape.
func (j *judge) coercedInTool(pointer, member string, s *shape.Shape, n *loose.Node) string {
	switch {
	case member == "parameters" && n.Kind == loose.Array:
		return mend.Parameters(n)
	case member == "endpoint":
		return loose.Quote(j.endpointFor(mend.EndpointText(n), j.toolAt(pointer)))
	case member == "name":
		return j.sensible(pointer, s)
	case member == "examples" && n.Kind == loose.Object:
		return "[" + n.JSON() + "]"
	case member == "inject" && n.Kind == loose.String:
		return loose.QuoteList([]string{n.Text})
	}
	return ""
}

// toolOf is a tool of which only the name is known.
func (j *judge) toolOf(name string) string {
	name = mend.Name(name, '_', 61)
	if !shape.IsTool(name) {
		name = mend.Name(j.id(), '_', 50) + "_do"
	}
	return `{"name": ` + loose.Quote(name) + `, "description": ` + loose.Quote(mend.Title(name)+". Answers with the result.") + `, "endpoint": ` + loose.Quote(j.endpointFor("", name)) + `, "parameters": {}}`
}
