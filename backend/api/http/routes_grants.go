package httpapi

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"sextant/backend/api/access"
	"sextant/backend/api/route"
	"sextant/backend/policy"
	"sextant/backend/store/sqlite"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// Grants lists the standing permissions and the rules that forbid calls.
type Grants struct {
	Grants []wire.GrantRow `json:"grants"`
}

func (s *Server) grantRoutes() {
	route.Add(s.api, http.MethodGet, "/api/grants", "Standing permissions, with how each was used", http.StatusOK,
		s.listGrants)
	route.Add(s.api, http.MethodDelete, "/api/grants/{id}", "Revoke a standing permission", http.StatusOK,
		func(ctx context.Context, in *route.ByID) (*route.Body[Grants], error) {
			if err := access.RequireWindow(ctx); err != nil {
				return nil, err
			}
			err := s.services.Store.RevokeGrant(ctx, in.ID)
			if errors.Is(err, sqlite.ErrNotFound) {
				return nil, route.NotFound("This grant was revoked already.")
			}
			if err != nil {
				return nil, route.InternalError("The grant could not be revoked and is still in force.", err)
			}
			return s.listGrants(ctx, nil)
		})
	route.Add(s.api, http.MethodPost, "/api/rules", "Add a rule that forbids calls; it is listed with the grants",
		http.StatusOK, s.addRule)
}

// RuleDraft describes the calls that a rule forbids: calls of Tool, or of all tools if Tool is empty, that
// match one of the other fields. If the other fields are empty, it forbids every call of Tool, which is then required.
type RuleDraft struct {
	Tool string `json:"tool,omitempty" maxLength:"128"`
	// Commands are programs, with or without a subcommand ("git", "git push"). Paths are absolute.
	Commands []string `json:"commands,omitempty" maxItems:"64"`
	Hosts    []string `json:"hosts,omitempty" maxItems:"64"`
	Paths    []string `json:"paths,omitempty" maxItems:"64"`
}

func (s *Server) addRule(ctx context.Context, in *struct{ Body RuleDraft }) (*route.Body[Grants], error) {
	if err := access.RequireWindow(ctx); err != nil {
		return nil, err
	}
	rule, err := policy.NewRule(toolspec.Grant{
		Tool: in.Body.Tool, Commands: in.Body.Commands, Hosts: in.Body.Hosts,
		Paths: in.Body.Paths,
	}, time.Now().UTC())
	if err != nil {
		return nil, route.BadRequest("The rule was not made: " + err.Error() + ".")
	}
	if err := s.checkRuleTool(rule.Tool); err != nil {
		return nil, err
	}
	if err := s.saveRule(ctx, rule); err != nil {
		return nil, route.InternalError("The rule could not be stored and is not in force.", err)
	}
	return s.listGrants(ctx, nil)
}

func (s *Server) saveRule(ctx context.Context, rule toolspec.Grant) error {
	rule.ID = "r_" + strings.ToLower(rand.Text())
	return s.services.Store.AddGrant(ctx, rule)
}

// checkRuleTool refuses a rule for an unknown tool, which would forbid nothing.
func (s *Server) checkRuleTool(name string) error {
	if name == toolspec.AnyTool {
		return nil
	}
	if _, known := s.definition(name); known {
		return nil
	}
	next := "GET /api/tools lists the tools."
	if near := s.services.Catalog.ForPanel(s.panelOrActive("")).Nearest(name); len(near) > 0 {
		next = "Did you mean " + strings.Join(near, ", ") + "?"
	}
	return route.BadRequest(fmt.Sprintf("The rule was not made: there is no tool %q. %s", name, next))
}

func (s *Server) listGrants(ctx context.Context, _ *route.Empty) (*route.Body[Grants], error) {
	rows, err := s.services.Store.GrantRows(ctx)
	if err != nil {
		return nil, route.InternalError("The grants could not be read. They are still in force.", err)
	}
	if rows == nil {
		rows = []wire.GrantRow{}
	}
	return route.Answer(Grants{Grants: rows}), nil
}
