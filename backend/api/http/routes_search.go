package httpapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"sextant/backend/api/route"
	"sextant/backend/store/search"
	"sextant/shared/wire"
)

// searchTime is the longest time that a search may take.
const searchTime = 5 * time.Second

func (s *Server) searchRoutes() {
	route.Add(s.api, http.MethodGet, "/api/search", "Find messages, results and arguments of calls, newest first",
		http.StatusOK, func(ctx context.Context, in *struct {
			Query        string `query:"q" maxLength:"1000" doc:"Words that must all occur (the last one may be a beginning), \"phrases\", and the filters who:me, who:assistant, who:tool, tool:NAME, site:HOST, before:DATE, after:DATE"`
			Conversation string `query:"conversation" maxLength:"128" doc:"Only in this conversation"`
			Limit        int    `query:"limit" minimum:"1" maximum:"200" default:"20"`
			Before       int64  `query:"cursor" minimum:"0" doc:"The field next of the page before"`
		},
		) (*route.Body[wire.SearchPage], error) {
			ctx, cancel := context.WithTimeout(ctx, searchTime)
			defer cancel()
			page, err := s.services.Store.Search(ctx, search.Request{
				Text: in.Query, Conversation: in.Conversation, Limit: in.Limit, Before: in.Before,
			})
			var mistake search.QueryError
			switch {
			case errors.As(err, &mistake):
				return nil, route.BadRequest(err.Error())
			case err != nil:
				return nil, route.InternalError("The search failed. Your conversations are not affected. Try again, "+
					"or use more exact words.", err)
			}
			return route.Answer(page), nil
		})
}
