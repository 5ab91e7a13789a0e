package codeeditor

import (
	"encoding/json"

	"sextant/shared/wire"
)

// ID is the id of the panel.
const ID = "code-editor"

// ContextValues returns the values that the panel publishes for its tools: the path of the active file, the line of the
// cursor and the selection. It returns none if no file is active.
func ContextValues(state wire.EditorState) map[string]json.RawMessage {
	values := map[string]json.RawMessage{}
	put := func(key string, v any) {
		if b, err := json.Marshal(v); err == nil {
			values[key] = b
		}
	}
	for _, tab := range state.Tabs {
		if tab.Path == state.Active {
			put("filePath", tab.Path)
			put("line", max(tab.Line, 1))
			put("selection", state.Selection)
		}
	}
	return values
}
