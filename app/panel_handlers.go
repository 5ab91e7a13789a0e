package app

import (
	"context"
	"encoding/json"

	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// takingBack is the panels for the tools for files, which are opened before them.
type takingBack struct{ sys *System }

// Undoable implements files.Panels.
func (b takingBack) Undoable(ctx context.Context, conversation, owner, turn, call string) ([]wire.PanelUndo, error) {
	return b.sys.Panels.Undoable(ctx, conversation, owner, turn, call)
}

// UndoCall implements files.Panels.
func (b takingBack) UndoCall(ctx context.Context, u wire.PanelUndo) toolspec.Result {
	return b.sys.Panels.UndoCall(ctx, u)
}

// editorPanel is the panel whose page publishes its context by what it keeps.
const editorPanel = "code-editor"

// editorChanged publishes the file in front of the code editor, for its tools.
func (s *System) editorChanged(state wire.EditorState) {
	if s.Panels == nil {
		return // told again when there are panels
	}
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
	if err := s.Panels.Publish(editorPanel, values); err != nil {
		s.Log.Warn("what is open in the code editor is not known to its tools", "error", err)
	}
}
