package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"sextant/backend/api/route"
	"sextant/backend/store/audit"
	"sextant/shared/wire"
)

func (s *Server) auditRoutes() {
	route.Add(s.api, http.MethodGet, "/api/audit", "A page of the audit log, the newest calls first", http.StatusOK,
		func(ctx context.Context, in *struct {
			Before int64  `query:"before" minimum:"0" doc:"Continue an earlier page: its before"`
			Limit  int    `query:"limit" minimum:"1" maximum:"500" default:"100"`
			Words  string `query:"q" maxLength:"200" doc:"Only calls whose rows contain all of these words"`
		},
		) (*route.Body[wire.AuditPage], error) {
			page, err := s.services.Audit.Page(ctx, in.Before, in.Limit, strings.Fields(in.Words)...)
			if err != nil {
				return nil, route.InternalError("The audit log could not be read.", err)
			}
			return route.Answer(page), nil
		})
	route.Add(s.api, http.MethodPost, "/api/audit/verify", "Verify the whole chain of the audit log", http.StatusOK,
		func(ctx context.Context, _ *route.Empty) (*route.Body[wire.AuditCheck], error) {
			n, err := s.services.Audit.Verify(ctx)
			switch {
			case errors.Is(err, audit.ErrBroken):
				return route.Answer(wire.AuditCheck{Entries: n, Problem: err.Error()}), nil
			case err != nil:
				return nil, route.InternalError("The audit log could not be read.", err)
			}
			return route.Answer(wire.AuditCheck{Entries: n}), nil
		})
}
