package httpapi

import (
	"context"
	"slices"
	"strings"
	"time"

	"sextant/backend/api/access"
	"sextant/backend/api/route"
	"sextant/backend/policy"
	"sextant/shared/toolspec"
)

// permit sets what the person says about every call of one tool. What narrows is done before what
// widens, so that a failure on the way leaves the tool with less, never with more.
func (s *Server) permit(ctx context.Context, in *struct {
	Name string `path:"name" maxLength:"128"`
	Body struct {
		Permission policy.Permission `json:"permission" doc:"allow, ask or never; empty leaves it to the rules"`
	}
},
) (*route.Body[ToolRows], error) {
	if err := access.WindowOnly(ctx); err != nil {
		return nil, err
	}
	want := in.Body.Permission
	if !want.Valid() {
		return nil, route.BadRequest(`"permission" is allow, ask, never or empty.`)
	}
	// Two answers at a time would each write the lists without the other's tool.
	s.permitting.Lock()
	defer s.permitting.Unlock()
	def, known := s.definition(in.Name)
	if !known {
		return nil, route.NotFound("There is no tool " + in.Name + ".")
	}
	steps := []func() error{
		func() error { return s.listed(ctx, "tools_ask", in.Name, want == policy.Asking) },
		func() error { return s.listed(ctx, "tools_allow", policy.Key(def), want == policy.Allowed) },
	}
	if want == policy.Asking || want == policy.Never {
		slices.Reverse(steps) // no longer allowed, before anything else
	}
	rule := func() error { return s.never(ctx, def, want == policy.Never) }
	if want == policy.Never {
		steps = append([]func() error{rule}, steps...)
	} else {
		steps = append(steps, rule)
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, route.Refused(err)
		}
	}
	return s.allTools(ctx, nil)
}

// definition is a tool by its name, also one of a panel that is not open.
func (s *Server) definition(name string) (toolspec.Definition, bool) {
	if def, ok := s.rooms.Tools.ForPanel(s.panel("")).Get(name); ok {
		return def, true
	}
	for _, d := range s.rooms.Panels.AllDefinitions() {
		if d.Name == name {
			return d, true
		}
	}
	return toolspec.Definition{}, false
}

// listed puts a tool into a setting that lists tools, or takes it out.
func (s *Server) listed(ctx context.Context, key, tool string, in bool) error {
	names := strings.FieldsFunc(s.rooms.Settings.Get(key), func(r rune) bool { return r == ',' || r == ' ' })
	if slices.Contains(names, tool) == in {
		return nil
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == tool })
	if in {
		names = append(names, tool)
	}
	_, err := s.rooms.Settings.Set(ctx, key, strings.Join(names, ","))
	return err
}

// never makes the rule that forbids a tool as a whole, or takes every one back that does.
func (s *Server) never(ctx context.Context, def toolspec.Definition, forbid bool) error {
	grants, err := s.rooms.Store.Grants(ctx)
	if err != nil {
		return err
	}
	whole := slices.DeleteFunc(grants, func(g toolspec.Grant) bool { return !policy.Whole(g, def) })
	if forbid {
		if len(whole) > 0 {
			return nil
		}
		rule, err := policy.Rule(toolspec.Grant{Tool: def.Name}, time.Now().UTC())
		if err != nil {
			return err
		}
		return s.hold(ctx, rule)
	}
	for _, g := range whole {
		if err := s.rooms.Store.RevokeGrant(ctx, g.ID); err != nil {
			return err
		}
	}
	return nil
}
