package httpapi

import (
	"context"
	"net/http"

	"sextant/backend/api/route"
	"sextant/backend/panels/manifest"
	"sextant/shared/event"
)

// schemaPath is where an editor finds the manifest's schema. It holds no secret and asks for
// no token.
const schemaPath = "/schemas/" + manifest.SchemaName

func panelSchema(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/schema+json")
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = w.Write(manifest.JSONSchema())
}

// PanelProblems is the answer of GET /api/panels/problems: the panels that have any, in order
// of the activity bar.
type PanelProblems struct {
	Panels []PanelTrouble `json:"panels"`
}

// PanelTrouble is what is wrong with one panel.
type PanelTrouble struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	// Usable is true while the panel, or the last good version of it, runs.
	Usable   bool                 `json:"usable"`
	Problems []event.PanelProblem `json:"problems"`
}

func (s *Server) problemRoutes() {
	route.Add(s.api, http.MethodGet, "/api/panels/problems",
		"What is wrong with panels, where, and how it could be right", http.StatusOK,
		func(context.Context, *route.Empty) (*route.Body[PanelProblems], error) {
			out := PanelProblems{Panels: []PanelTrouble{}}
			for _, p := range s.rooms.Panels.Panels() {
				if len(p.Problems) > 0 {
					out.Panels = append(out.Panels,
						PanelTrouble{ID: p.ID, Title: p.Title, Usable: p.Usable, Problems: p.Problems})
				}
			}
			return route.Answer(out), nil
		})
}
