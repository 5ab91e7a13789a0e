package app

import (
	"context"
	"encoding/json"
	"os"

	"sextant/backend/panels/backends/process"
	"sextant/backend/panels/calls"
	"sextant/shared/toolspec"
)

// CallAsPanel makes a call that the page of a panel asks for. It is the panel's call and never the
// person's, whoever relays it: limited to the panel's own tools and those its manifest names,
// decided, asked and written down as any other.
func (s *System) CallAsPanel(ctx context.Context, panel, tool string, args json.RawMessage) toolspec.Result {
	return s.asPanels.Call(ctx, calls.Request{Panel: panel, Tool: tool, Args: args, Interactive: s.hub.Watched()})
}

// callTools are the tools beside its own that a panel's manifest names.
func (s *System) callTools(panel string) []string {
	names, _ := s.Panels.CallTools(panel)
	return names
}

// panelPrograms is what the programs of panels run in: the sandbox of commands, and our own way out.
func (s *System) panelPrograms() process.Config {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // then no place is known as the person's
	}
	return process.Config{
		Confine: s.Confine, Egress: s.Guard, Home: home, Places: s.Places,
		Forbidden: func(ctx context.Context) ([]string, error) {
			return s.hiddenFrom(ctx, panelProgram, followed(s.Workspace()))
		},
	}
}

// panelProgram stands for the programs of panels where rules name a tool: only those for all tools
// hold for them.
const panelProgram = "a panel's program"

// callOfScript makes a call that the script of a panel asks for while it answers one.
func (s *System) callOfScript(ctx context.Context, a calls.Request) toolspec.Result {
	return s.asPanels.Call(ctx, a)
}

// showPanel puts a panel on the stage, as its tool does.
func (s *System) showPanel(ctx context.Context, panel string) error {
	_, err := s.Baseline.Execute(ctx, toolspec.Call{Tool: s.Nav.OpenTool(panel)}, toolspec.Definition{}, nil)
	return err
}
