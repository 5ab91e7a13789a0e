package httpapi

import (
	"context"
	"io"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"sextant/backend/api/access"
	"sextant/backend/api/route"
	"sextant/shared/event"
	"sextant/shared/wire"
)

// EventPage is a page of stored events. Seq is the number of the newest stored event.
type EventPage struct {
	Events []event.Event `json:"events"`
	Seq    int64         `json:"seq"`
}

// CallRows lists calls for the activity list.
type CallRows struct {
	Calls []wire.CallRow `json:"calls"`
}

type tokenBody struct {
	Token string `json:"token"`
}

func (s *Server) stateRoutes() {
	route.Add(s.api, http.MethodPost, sessionPath, "Exchange a one-time code for a window's key", http.StatusOK,
		func(_ context.Context, in *struct {
			Body struct {
				Code string `json:"code" maxLength:"128"`
			}
		},
		) (*route.Body[tokenBody], error) {
			token, ok := s.services.Keys.Exchange(in.Body.Code)
			if !ok {
				return nil, huma.NewError(http.StatusUnauthorized,
					"This link was used already or has expired. Run sextant open for a new one")
			}
			return route.Answer(tokenBody{Token: token}), nil
		})
	route.Add(s.api, http.MethodGet, "/api/state", "Everything the window starts from", http.StatusOK,
		func(ctx context.Context, _ *route.Empty) (*route.Body[wire.Snapshot], error) {
			snap, err := s.services.Snapshot(ctx)
			if err != nil {
				return nil, route.InternalError("The state could not be read.", err)
			}
			return route.Answer(snap), nil
		})
	route.Add(s.api, http.MethodGet, "/api/events", "Stored events after a number", http.StatusOK, s.eventsAfter)
	route.Add(s.api, http.MethodGet, "/api/calls", "Newest calls of the audit log", http.StatusOK, s.listCalls)
	s.settingRoutes()
	route.Add(s.api, http.MethodGet, "/api/blobs/{id}", "A picture or a long output", http.StatusOK, s.serveBlob)
	route.Add(s.api, http.MethodGet, "/api/results/{id}",
		"The whole text of a long result", http.StatusOK, s.serveResult)
}

func (s *Server) settingRoutes() {
	route.Add(s.api, http.MethodPut, "/api/settings/{key}", "Change a setting", http.StatusOK,
		func(ctx context.Context, in *struct {
			Key  string `path:"key" maxLength:"128"`
			Body struct {
				Value string `json:"value" maxLength:"200000"`
			}
		},
		) (*route.Body[event.Setting], error) {
			if err := access.RequireWindow(ctx); err != nil {
				return nil, err
			}
			set, err := s.services.Settings.Set(ctx, in.Key, in.Body.Value)
			if err != nil {
				return nil, route.RequestError(err)
			}
			return route.Answer(set), nil
		})
	route.Add(s.api, http.MethodDelete, "/api/settings/{key}",
		"Delete the window's value of a setting, so that the default applies", http.StatusOK,
		func(ctx context.Context, in *struct {
			Key string `path:"key" maxLength:"128"`
		},
		) (*route.Body[event.Setting], error) {
			if err := access.RequireWindow(ctx); err != nil {
				return nil, err
			}
			set, err := s.services.Settings.Reset(ctx, in.Key)
			if err != nil {
				return nil, route.BadRequest(err.Error())
			}
			return route.Answer(set), nil
		})
}

func (s *Server) eventsAfter(ctx context.Context, in *struct {
	After int64 `query:"after" minimum:"0"`
	Limit int   `query:"limit" minimum:"1" maximum:"5000" default:"1000"`
},
) (*route.Body[EventPage], error) {
	list, err := s.services.Events.EventsAfter(ctx, in.After, in.Limit)
	if err != nil {
		return nil, route.InternalError("The events could not be read.", err)
	}
	if list == nil {
		list = []event.Event{}
	}
	return route.Answer(EventPage{Events: list, Seq: s.services.Events.LastSeq()}), nil
}

func (s *Server) listCalls(ctx context.Context, in *struct {
	Limit int `query:"limit" minimum:"1" maximum:"1000" default:"200"`
},
) (*route.Body[CallRows], error) {
	rows, err := s.services.Audit.List(ctx, in.Limit)
	if err != nil {
		return nil, route.InternalError("The audit log could not be read.", err)
	}
	if rows == nil {
		rows = []wire.CallRow{}
	}
	return route.Answer(CallRows{Calls: rows}), nil
}

// serveBlob serves a stored blob. Only PNG, JPEG and WebP pictures keep their type, so that browsers never render a
// blob as a page.
func (s *Server) serveBlob(_ context.Context, in *route.ByID) (*huma.StreamResponse, error) {
	file, info, err := s.services.Blobs.Open(in.ID)
	if err != nil {
		return nil, route.NotFound("There is no blob with this id.")
	}
	kind := info.MIME
	switch kind {
	case "image/png", "image/jpeg", "image/webp":
	default:
		kind = "application/octet-stream"
	}
	return streamFile(file, kind, "private, max-age=31536000, immutable"), nil
}

// streamFile closes file.
func streamFile(file io.ReadCloser, kind, cache string) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		defer func() { _ = file.Close() }()
		ctx.SetHeader("Content-Type", kind)
		if cache != "" {
			ctx.SetHeader("Cache-Control", cache)
		}
		_, _ = io.Copy(ctx.BodyWriter(), file) // the client may have disconnected
	}}
}

func (s *Server) serveResult(ctx context.Context, in *route.ByID) (*huma.StreamResponse, error) {
	if err := access.RequireWindow(ctx); err != nil {
		return nil, err
	}
	file, _, err := s.services.Results.Open(ctx, in.ID)
	if err != nil {
		return nil, route.NotFound("There is no result with this id.")
	}
	return streamFile(file, "application/octet-stream", ""), nil
}
