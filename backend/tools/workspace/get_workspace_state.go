package workspace

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sextant/shared/event"
	"sextant/shared/toolspec"
)

//go:embed get_workspace_state.md
var getWorkspaceStateDoc string

const maxProblems = 12

type workspaceState struct {
	ActivePanel string `json:"active_panel"`
	// Operable is the number of operable elements on the active panel's page, or nil if that is not known.
	Operable    *int              `json:"operable,omitempty"`
	OpenPanels  []string          `json:"open_panels"`
	Panels      []panelState      `json:"panels"`
	ActivityBar event.ActivityBar `json:"activity_bar"`
	Focus       string            `json:"focus,omitempty"`
	PromptNotes []string          `json:"prompt_notes"`
}

type panelState struct {
	ID    string   `json:"id"`
	Title string   `json:"title"`
	Tools []string `json:"tools,omitempty"`
	// Problem says why a panel cannot be opened.
	Problem string `json:"problem,omitempty"`
	// Problems lists the mistakes in the panel's manifest, with their places and corrections.
	Problems []event.PanelProblem `json:"problems,omitempty"`
}

func getWorkspaceState() tool {
	const name = "get_workspace_state"
	return tool{
		def: define(name, "workspace", getWorkspaceStateDoc, noParams, toolspec.Hints{ReadOnly: true, Idempotent: true},
			`{}`),
		run: func(t *Tools, ctx context.Context, _ json.RawMessage) (toolspec.Result, error) {
			s := workspaceState{
				ActivePanel: t.ActivePanel(), OpenPanels: t.OpenPanels(), ActivityBar: t.ActivityBar(),
				Focus: t.FocusedSurface(), PromptNotes: t.PromptNotes(), Panels: []panelState{},
			}
			if s.PromptNotes == nil {
				s.PromptNotes = []string{}
			}
			if t.cfg.CountOperable != nil {
				if n, ok := t.cfg.CountOperable(ctx, s.ActivePanel); ok {
					s.Operable = &n
				}
			}
			for _, p := range t.cfg.Panels() {
				row := panelState{ID: p.ID, Title: p.Title, Tools: p.Tools, Problems: p.Problems}
				if !p.Usable {
					row.Problem = strings.Join(p.ProblemLines(), "; ")
				}
				s.Panels = append(s.Panels, row)
			}
			return ok(s, s.text(), "Read the workspace state"), nil
		},
		describe: present("Reading the workspace state"),
	}
}

func (s workspaceState) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Active panel: %s\n", s.ActivePanel)
	if s.Operable != nil {
		fmt.Fprintf(&b, "Its own page is in front; elements that can be used: %d (annotate_page numbers them)\n",
			*s.Operable)
	}
	fmt.Fprintf(&b, "Open panels: %s\nPanels:\n", strings.Join(s.OpenPanels, ", "))
	for _, p := range s.Panels {
		fmt.Fprintf(&b, "- %s (%s)", p.ID, p.Title)
		switch {
		case p.Problem != "":
			fmt.Fprintf(&b, ", off: %s", p.Problem)
		case slices.Contains(s.OpenPanels, p.ID):
			b.WriteString(", open")
		}
		b.WriteByte('\n')
		for _, problem := range p.Problems[:min(len(p.Problems), maxProblems)] {
			if problem.Fix != "" {
				fmt.Fprintf(&b, "  %s Correct would be: %s\n", problem, problem.Fix)
			}
		}
	}
	width := "narrow"
	if s.ActivityBar.Expanded {
		width = "wide"
	}
	fmt.Fprintf(&b, "Activity bar: %s; device %s of %s", width, s.ActivityBar.Device,
		strings.Join(s.ActivityBar.Devices, ", "))
	for i, n := range s.PromptNotes {
		fmt.Fprintf(&b, "\nPrompt note %d: %s", i+1, n)
	}
	return b.String()
}
