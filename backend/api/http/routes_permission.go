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

func (s *Server) setPermission(ctx context.Context, in *struct {
	Name string `path:"name" maxLength:"128"`
	Body struct {
		Permission policy.Permission `json:"permission" doc:"allow, ask or never; empty: the rules decide"`
	}
},
) (*route.Body[ToolRows], error) {
	if err := access.RequireWindow(ctx); err != nil {
		return nil, err
	}
	want := in.Body.Permission
	if !want.Valid() {
		return nil, route.BadRequest(`"permission" must be allow, ask, never or empty.`)
	}
	// Without the lock, two concurrent changes would each write the lists without the other's tool.
	s.permissionLock.Lock()
	defer s.permissionLock.Unlock()
	def, known := s.definition(in.Name)
	if !known {
		return nil, route.NotFound("There is no tool " + in.Name + ".")
	}
	steps := []func() error{
		func() error { return s.setListed(ctx, "tools_ask", in.Name, want == policy.PermissionAsk) },
		func() error {
			return s.setListed(ctx, "tools_allow", policy.ToolKey(def), want == policy.PermissionAllow)
		},
	}
	if want != policy.PermissionAllow {
		slices.Reverse(steps) // remove the right first
	}
	rule := func() error { return s.setForbidden(ctx, def, want == policy.PermissionNever) }
	if want == policy.PermissionNever {
		steps = append([]func() error{rule}, steps...)
	} else {
		steps = append(steps, rule)
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, route.RequestError(err)
		}
	}
	return s.allTools(ctx, nil)
}

func (s *Server) definition(name string) (toolspec.Definition, bool) {
	if def, ok := s.services.Catalog.ForPanel(s.panelOrActive("")).Get(name); ok {
		return def, true
	}
	for _, d := range s.services.Panels.AllDefinitions() {
		if d.Name == name {
			return d, true
		}
	}
	return toolspec.Definition{}, false
}

func (s *Server) setListed(ctx context.Context, key, tool string, in bool) error {
	names := strings.FieldsFunc(s.services.Settings.Get(key), func(r rune) bool { return r == ',' || r == ' ' })
	if slices.Contains(names, tool) == in {
		return nil
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == tool })
	if in {
		names = append(names, tool)
	}
	_, err := s.services.Settings.Set(ctx, key, strings.Join(names, ","))
	return err
}

func (s *Server) setForbidden(ctx context.Context, def toolspec.Definition, forbid bool) error {
	grants, err := s.services.Store.Grants(ctx)
	if err != nil {
		return err
	}
	whole := slices.DeleteFunc(grants, func(g toolspec.Grant) bool { return !policy.ForbidsTool(g, def) })
	if forbid {
		if len(whole) > 0 {
			return nil
		}
		rule, err := policy.NewRule(toolspec.Grant{Tool: def.Name}, time.Now().UTC())
		if err != nil {
			return err
		}
		return s.saveRule(ctx, rule)
	}
	for _, g := range whole {
		if err := s.services.Store.RevokeGrant(ctx, g.ID); err != nil {
			return err
		}
	}
	return nil
}
