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

// EventPage is the answer of GET /api/events.
type EventPage struct {
	Events []event.Event `json:"events"`
	Seq    int64         `json:"seq"`
}

// Models is every model that can be chosen.
type Models struct {
	Models []wire.Model `json:"models"`
}

// CallRows are lines of the activity list, newest first.
type CallRows struct {
	Calls []wire.CallRow `json:"calls"`
}

// tokenBody is the answer of the code exchange.
type tokenBody struct {
	Token string `json:"token"`
}

// stateRoutes are what the window needs to draw itself.
func (s *Server) stateRoutes() {
	route.Add(s.api, http.MethodPost, sessionPath, "Exchange a one-time code for a window's key", http.StatusOK,
		func(_ context.Context, in *struct {
			Body struct {
				Code string `json:"code" maxLength:"128"`
			}
		},
		) (*route.Body[tokenBody], error) {
			token, ok := s.rooms.Keys.Exchange(in.Body.Code)
			if !ok {
				return nil, huma.NewError(http.StatusUnauthorized,
					"This code was used or is too old. Open the window again.")
			}
			return route.Answer(tokenBody{Token: token}), nil
		})
	route.Add(s.api, http.MethodGet, "/api/state", "Everything the window starts from", http.StatusOK,
		func(ctx context.Context, _ *route.Empty) (*route.Body[wire.Snapshot], error) {
			snap, err := s.rooms.Snapshot(ctx)
			if err != nil {
				return nil, route.Failed("The state could not be read.", err)
			}
			return route.Answer(snap), nil
		})
	route.Add(s.api, http.MethodGet, "/api/events", "Stored events after a number", http.StatusOK, s.eventsAfter)
	route.Add(s.api, http.MethodGet, "/api/calls", "Newest calls of the audit log", http.StatusOK, s.calls)
	route.Add(s.api, http.MethodGet, "/api/models", "Models that can be chosen; asks the local servers again",
		http.StatusOK, func(ctx context.Context, _ *route.Empty) (*route.Body[Models], error) {
			return route.Answer(Models{Models: s.rooms.Models.List(ctx)}), nil
		})
	s.settingRoutes()
	s.browserRoutes()
	route.Add(s.api, http.MethodGet, "/api/blobs/{id}", "A picture or a long output", http.StatusOK, s.blob)
	route.Add(s.api, http.MethodGet, "/api/results/{id}",
		"The whole text of a result that was too long to be handed out", http.StatusOK, s.result)
}

// settingRoutes change the settings that a person may change in the window.
func (s *Server) settingRoutes() {
	route.Add(s.api, http.MethodPut, "/api/settings/{key}", "Change a setting", http.StatusOK,
		func(ctx context.Context, in *struct {
			Key  string `path:"key" maxLength:"128"`
			Body struct {
				Value string `json:"value" maxLength:"200000"`
			}
		},
		) (*route.Body[event.Setting], error) {
			if err := access.WindowOnly(ctx); err != nil {
				return nil, err
			}
			set, err := s.rooms.Settings.Set(ctx, in.Key, in.Body.Value)
			if err != nil {
				return nil, route.Refused(err)
			}
			return route.Answer(set), nil
		})
	route.Add(s.api, http.MethodDelete, "/api/settings/{key}",
		"Forget what the window set, so that the default is in force", http.StatusOK,
		func(ctx context.Context, in *struct {
			Key string `path:"key" maxLength:"128"`
		},
		) (*route.Body[event.Setting], error) {
			if err := access.WindowOnly(ctx); err != nil {
				return nil, err
			}
			set, err := s.rooms.Settings.Reset(ctx, in.Key)
			if err != nil {
				return nil, route.BadRequest(err.Error())
			}
			return route.Answer(set), nil
		})
}

// browserRoutes start the browser and say who controls it.
func (s *Server) browserRoutes() {
	route.Add(s.api, http.MethodPost, "/api/browser/hand", "Take the browser over or give it back", http.StatusOK,
		func(ctx context.Context, in *struct {
			Body struct {
				Person bool `json:"person"`
			}
		},
		) (*route.Body[event.BrowserState], error) {
			if err := access.WindowOnly(ctx); err != nil {
				return nil, err
			}
			s.rooms.Browser.SetPersonControl(in.Body.Person)
			return route.Answer(s.rooms.Browser.State()), nil
		})
	route.Add(s.api, http.MethodPost, "/api/browser/start", "Look for Chromium again and start it", http.StatusOK,
		func(ctx context.Context, _ *route.Empty) (*route.Body[event.BrowserState], error) {
			_ = s.rooms.Browser.Start(ctx) // the state says what is wrong and how to mend it
			return route.Answer(s.rooms.Browser.State()), nil
		})
}

func (s *Server) eventsAfter(ctx context.Context, in *struct {
	After int64 `query:"after" minimum:"0"`
	Limit int   `query:"limit" minimum:"1" maximum:"5000" default:"1000"`
},
) (*route.Body[EventPage], error) {
	list, err := s.rooms.Events.After(ctx, in.After, in.Limit)
	if err != nil {
		return nil, route.Failed("The events could not be read.", err)
	}
	if list == nil {
		list = []event.Event{}
	}
	return route.Answer(EventPage{Events: list, Seq: s.rooms.Events.Last()}), nil
}

func (s *Server) calls(ctx context.Context, in *struct {
	Limit int `query:"limit" minimum:"1" maximum:"1000" default:"200"`
},
) (*route.Body[CallRows], error) {
	rows, err := s.rooms.Audit.List(ctx, in.Limit)
	if err != nil {
		return nil, route.Failed("The audit log could not be read.", err)
	}
	if rows == nil {
		rows = []wire.CallRow{}
	}
	return route.Answer(CallRows{Calls: rows}), nil
}

// blob serves a stored blob. It is never rendered as a page: only pictures keep their
// type, and nosniff is on.
func (s *Server) blob(_ context.Context, in *route.ByID) (*huma.StreamResponse, error) {
	file, info, err := s.rooms.Blobs.Open(in.ID)
	if err != nil {
		return nil, route.NotFound("There is no blob with this id.")
	}
	kind := info.MIME
	switch kind {
	case "image/png", "image/jpeg", "image/webp":
	default:
		kind = "application/octet-stream"
	}
	return streamed(file, kind, "private, max-age=31536000, immutable"), nil
}

// streamed answers with what file holds and closes it; cache says how long it may be kept.
func streamed(file io.ReadCloser, kind, cache string) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		defer func() { _ = file.Close() }()
		ctx.SetHeader("Content-Type", kind)
		ctx.SetHeader("Cache-Control", cache)
		_, _ = io.Copy(ctx.BodyWriter(), file) // a reader that went away is no matter of ours
	}}
}

// result serves the text of a long result to the person, whoever's it is; programs have
// read_result. It is never rendered as a page.
func (s *Server) result(ctx context.Context, in *route.ByID) (*huma.StreamResponse, error) {
	if err := access.WindowOnly(ctx); err != nil {
		return nil, err
	}
	file, _, err := s.rooms.Results.Open(ctx, in.ID)
	if err != nil {
		return nil, route.NotFound("There is no result with this id any more.")
	}
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		defer func() { _ = file.Close() }()
		ctx.SetHeader("Content-Type", "application/octet-stream")
		_, _ = io.Copy(ctx.BodyWriter(), file) // a reader that went away is no matter of ours
	}}, nil
}
