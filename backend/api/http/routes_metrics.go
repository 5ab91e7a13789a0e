package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"sextant/backend/api/metrics"
	"sextant/backend/api/route"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

const maxFailures = 10

func (s *Server) metricsRoutes() {
	route.Add(s.api, http.MethodGet, "/api/metrics", "Figures of calls, questions, turns and tokens over a range",
		http.StatusOK, func(ctx context.Context, in *struct {
			Range  wire.MetricsRange `query:"range" enum:"day,week,month,all" default:"day"`
			Origin toolspec.Origin   `query:"origin" enum:"baseline,panel,mcp,created,recipe" doc:"Only calls of tools of this origin"`
		},
		) (*route.Body[wire.Metrics], error) {
			m, err := s.services.Store.Metrics(ctx, in.Range, in.Origin, time.Now())
			if err != nil {
				return nil, route.InternalError("The figures could not be read. Nothing is lost: they are computed "+
					"from the audit log.", err)
			}
			return route.Answer(m), nil
		})
	route.Add(s.api, http.MethodGet, "/api/metrics/tool", "One tool's durations over a range and its newest failures",
		http.StatusOK, func(ctx context.Context, in *struct {
			Tool   string            `query:"tool" maxLength:"200"`
			Origin toolspec.Origin   `query:"origin" maxLength:"20"`
			Range  wire.MetricsRange `query:"range" enum:"day,week,month,all" default:"day"`
		},
		) (*route.Body[wire.ToolHistory], error) {
			h, err := s.services.Audit.ToolHistory(ctx, in.Tool, in.Origin, in.Range, maxFailures, time.Now())
			if err != nil {
				return nil, route.InternalError("The tool's figures could not be read.", err)
			}
			return route.Answer(h), nil
		})
	// This path is not below /api, because scrapers look for it here.
	huma.Register(s.api, huma.Operation{
		OperationID: route.OperationID(http.MethodGet, MetricsPath), Method: http.MethodGet, Path: MetricsPath,
		Summary: "Counters since the first start, in the text format of Prometheus",
	}, func(ctx context.Context, _ *route.Empty) (*huma.StreamResponse, error) {
		totals, err := s.services.Store.Totals(ctx, metrics.FirstTokenBounds())
		if err != nil {
			return nil, route.InternalError("The counters could not be read.", err)
		}
		page, err := metrics.Text(metrics.FromTotals(s.services.Version, totals))
		if err != nil {
			return nil, route.InternalError("The counters could not be written.", err)
		}
		return &huma.StreamResponse{Body: func(ctx huma.Context) {
			ctx.SetHeader("Content-Type", metrics.MediaType)
			ctx.SetHeader("Cache-Control", "no-store")
			_, _ = ctx.BodyWriter().Write(page) // the client may have disconnected
		}}, nil
	})
}

// MetricsPath is the path of the metrics for Prometheus. It requires the token.
const MetricsPath = "/metrics"
