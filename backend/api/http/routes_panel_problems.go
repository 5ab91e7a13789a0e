package httpapi

import (
	"context"
	"net/http"

	"sextant/backend/api/route"
	"sextant/backend/panels/manifest"
	"sextant/shared/event"
)

// schemaPath needs no token, so that editors can load the schema of manifests.
const schemaPath = "/schemas/" + manifest.SchemaName

func panelSchema(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/schema+json")
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = w.Write(manifest.JSONSchema())
}

// PanelProblems lists the panels with problems.
type PanelProblems struct {
	Panels []PanelWithProblems `json:"panels"`
}

// PanelWithProblems is one panel with its problems.
type PanelWithProblems struct {
	ID       string               `json:"id"`
	Title    string               `json:"title"`
	Usable   bool                 `json:"usable"`
	Problems []event.PanelProblem `json:"problems"`
}

func (s *Server) panelProblemRoutes() {
	route.Add(s.api, http.MethodGet, "/api/panels/problems",
		"Problems of panels, with their place and a suggestion", http.StatusOK,
		func(context.Context, *route.Empty) (*route.Body[PanelProblems], error) {
			out := PanelProblems{Panels: []PanelWithProblems{}}
			for _, p := range s.services.Panels.Panels() {
				if len(p.Problems) > 0 {
					out.Panels = append(out.Panels,
						PanelWithProblems{ID: p.ID, Title: p.Title, Usable: p.Usable, Problems: p.Problems})
				}
			}
			return route.Answer(out), nil
		})
}
