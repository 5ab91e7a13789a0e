package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"sextant/backend/api/access"
	"sextant/backend/api/route"
	"sextant/backend/panels/authoring"
	"sextant/backend/panels/evals"
	"sextant/backend/panels/manifest"
	"sextant/shared/toolspec"
)

type archiveInput struct {
	Body struct {
		Archive []byte `json:"archive" doc:"The file, in Base64." maxLength:"4000000"`
		Hash    string `json:"hash,omitempty" maxLength:"64" doc:"The hash of the offer that was shown"`
	}
}

// PanelOffer describes what installing an archive would do or, if Offer is nil, the problems of its panel.
type PanelOffer struct {
	Panel    string                  `json:"panel"`
	Offer    *authoring.PackageOffer `json:"offer,omitempty"`
	Problems []manifest.Problem      `json:"problems,omitempty"`
}

// InstalledPanel names the panel that was installed.
type InstalledPanel struct {
	Panel string `json:"panel"`
}

// PanelEvals lists the outcomes of a panel's evals.
type PanelEvals struct {
	Outcomes []evals.Outcome `json:"outcomes"`
}

func (s *Server) panelArchiveRoutes() {
	route.Add(
		s.api,
		http.MethodPost,
		"/api/panels/preview",
		"What installing a panel's archive would do",
		http.StatusOK,
		s.offerPanel,
	)
	route.Add(s.api, http.MethodPost, "/api/panels/install", "Install a panel's archive after its offer was shown",
		http.StatusOK, s.installPanel)
	route.Add(s.api, http.MethodPost, "/api/panels/{id}/eval",
		"Make the calls of a panel's evals and compare the answers", http.StatusOK, s.evalPanel)
}

func (s *Server) offerPanel(ctx context.Context, in *archiveInput) (*route.Body[PanelOffer], error) {
	if err := access.RequireWindow(ctx); err != nil {
		return nil, err
	}
	offer, err := s.services.Authoring.Offer(in.Body.Archive)
	var unfit *authoring.InvalidPanelError
	switch {
	case errors.As(err, &unfit):
		return route.Answer(PanelOffer{Panel: unfit.Panel, Problems: unfit.Problems}), nil
	case err != nil:
		return nil, route.BadRequest(err.Error())
	}
	return route.Answer(PanelOffer{Panel: offer.Panel, Offer: &offer}), nil
}

func (s *Server) installPanel(ctx context.Context, in *archiveInput) (*route.Body[InstalledPanel], error) {
	if err := access.RequireWindow(ctx); err != nil {
		return nil, err
	}
	panel, err := s.services.Authoring.Install(ctx, in.Body.Archive, in.Body.Hash)
	if err != nil {
		return nil, route.BadRequest(err.Error())
	}
	return route.Answer(InstalledPanel{Panel: panel}), nil
}

// evalPanel passes no arguments to provenance: their addresses do not count as typed by the person.
func (s *Server) evalPanel(ctx context.Context, in *route.ByID) (*route.Body[PanelEvals], error) {
	list, known := s.services.Panels.Evals(in.ID)
	if !known {
		return nil, route.NotFound("There is no panel " + in.ID +
			" that can be used. GET /api/panels lists the panels.")
	}
	from := s.provenance(ctx, "", nil)
	return route.Answer(PanelEvals{Outcomes: evals.Run(ctx, list,
		func(ctx context.Context, tool string, args json.RawMessage) toolspec.Result {
			return s.services.Pipeline.Do(ctx, toolspec.Call{Tool: tool, Args: args, Panel: in.ID, From: from})
		})}), nil
}
