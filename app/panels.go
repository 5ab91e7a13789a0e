package app

import (
	"context"
	"encoding/json"

	"sextant/backend/tools/panels/callers"
	"sextant/shared/toolspec"
)

// CallAsPanel makes a call that the page of a panel asks for. It is the panel's call and never the
// person's, whoever relays it: limited to the panel's own tools and those its manifest names,
// decided, asked and written down as any other.
func (s *System) CallAsPanel(ctx context.Context, panel, tool string, args json.RawMessage) toolspec.Result {
	return s.asPanels.Call(ctx, callers.Ask{Panel: panel, Tool: tool, Args: args, Interactive: s.hub.Watched()})
}

// callTools are the tools beside its own that a panel's manifest names.
func (s *System) callTools(panel string) []string {
	names, _ := s.Panels.CallTools(panel)
	return names
}
