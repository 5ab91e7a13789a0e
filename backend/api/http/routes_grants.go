package httpapi

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"sextant/backend/api/access"
	"sextant/backend/api/route"
	"sextant/backend/policy"
	"sextant/backend/store/audit"
	"sextant/backend/store/sqlite"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// Grants are the standing permissions, the newest first.
type Grants struct {
	Grants []wire.GrantRow `json:"grants"`
}

// recordRoutes are what was allowed and what was done.
func (s *Server) recordRoutes() {
	route.Add(s.api, http.MethodGet, "/api/grants", "Standing permissions, with how each was used", http.StatusOK,
		s.grants)
	route.Add(s.api, http.MethodDelete, "/api/grants/{id}", "Take a standing permission back", http.StatusOK,
		func(ctx context.Context, in *route.ByID) (*route.Body[Grants], error) {
			if err := access.WindowOnly(ctx); err != nil {
				return nil, err
			}
			err := s.rooms.Store.RevokeGrant(ctx, in.ID)
			if errors.Is(err, sqlite.ErrNotFound) {
				return nil, route.NotFound("This grant is gone already.")
			}
			if err != nil {
				return nil, route.Failed("The grant could not be taken back and still holds.", err)
			}
			return s.grants(ctx, nil)
		})
	route.Add(s.api, http.MethodPost, "/api/rules", "Forbid calls by a rule, which stands among the permissions",
		http.StatusOK, s.addRule)
	route.Add(s.api, http.MethodGet, "/api/audit", "A page of the audit log, the newest calls first", http.StatusOK,
		func(ctx context.Context, in *struct {
			Before int64  `query:"before" minimum:"0" doc:"Continue an earlier page: its before"`
			Limit  int    `query:"limit" minimum:"1" maximum:"500" default:"100"`
			Words  string `query:"q" maxLength:"200" doc:"Only calls whose rows hold all of these words"`
		},
		) (*route.Body[wire.AuditPage], error) {
			page, err := s.rooms.Audit.Page(ctx, in.Before, in.Limit, strings.Fields(in.Words)...)
			if err != nil {
				return nil, route.Failed("The audit log could not be read.", err)
			}
			return route.Answer(page), nil
		})
	route.Add(s.api, http.MethodPost, "/api/audit/verify", "Read the whole chain of the audit log", http.StatusOK,
		func(ctx context.Context, _ *route.Empty) (*route.Body[wire.AuditCheck], error) {
			n, err := s.rooms.Audit.Verify(ctx)
			switch {
			case errors.Is(err, audit.ErrBroken):
				return route.Answer(wire.AuditCheck{Entries: n, Problem: err.Error()}), nil
			case err != nil:
				return nil, route.Failed("The audit log could not be read.", err)
			}
			return route.Answer(wire.AuditCheck{Entries: n}), nil
		})
}

// RuleDraft is what a rule forbids: calls of Tool, of all tools when it is empty, that meet one of
// the others, or every call of Tool when there are none.
type RuleDraft struct {
	Tool string `json:"tool,omitempty" maxLength:"128"`
	// Commands are programs with their subcommand, Hosts hosts, Paths absolute files and folders.
	Commands []string `json:"commands,omitempty" maxItems:"64"`
	Hosts    []string `json:"hosts,omitempty" maxItems:"64"`
	Paths    []string `json:"paths,omitempty" maxItems:"64"`
}

func (s *Server) addRule(ctx context.Context, in *struct{ Body RuleDraft }) (*route.Body[Grants], error) {
	if err := access.WindowOnly(ctx); err != nil {
		return nil, err
	}
	rule, err := policy.Rule(toolspec.Grant{
		Tool: in.Body.Tool, Commands: in.Body.Commands, Hosts: in.Body.Hosts,
		Paths: in.Body.Paths,
	}, time.Now().UTC())
	if err != nil {
		return nil, route.BadRequest("The rule was not made: " + err.Error() + ".")
	}
	if err := s.ruledTool(rule.Tool); err != nil {
		return nil, err
	}
	if err := s.hold(ctx, rule); err != nil {
		return nil, route.Failed("The rule could not be kept and does not hold.", err)
	}
	return s.grants(ctx, nil)
}

// hold keeps a rule under an id of its own.
func (s *Server) hold(ctx context.Context, rule toolspec.Grant) error {
	rule.ID = "r_" + strings.ToLower(rand.Text())
	return s.rooms.Store.AddGrant(ctx, rule)
}

// ruledTool refuses a rule about a tool that nobody knows, which a slip of the pen makes: it would
// stand there and forbid nothing. The tools of panels that are not in front count too.
func (s *Server) ruledTool(name string) error {
	if name == toolspec.AnyTool {
		return nil
	}
	known := s.rooms.Tools.ForPanel(s.panel(""))
	if _, ok := known.Get(name); ok {
		return nil
	}
	if slices.ContainsFunc(s.rooms.Panels.AllDefinitions(),
		func(d toolspec.Definition) bool { return d.Name == name }) {
		return nil
	}
	next := "Look at the list of tools for its name."
	if near := known.Nearest(name); len(near) > 0 {
		next = "Did you mean " + strings.Join(near, ", ") + "?"
	}
	return route.BadRequest(fmt.Sprintf("The rule was not made: there is no tool %q. %s", name, next))
}

func (s *Server) grants(ctx context.Context, _ *route.Empty) (*route.Body[Grants], error) {
	rows, err := s.rooms.Store.GrantRows(ctx)
	if err != nil {
		return nil, route.Failed("The grants could not be read. They still hold.", err)
	}
	if rows == nil {
		rows = []wire.GrantRow{}
	}
	return route.Answer(Grants{Grants: rows}), nil
}
