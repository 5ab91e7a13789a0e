package app

import (
	"context"
	"slices"

	"sextant/app/config"
	"sextant/shared/toolspec"
)

// toolRooms are the rooms of baseline tools that stand on their own, in the order of the list.
func (s *System) toolRooms() []baselineRoom {
	return []baselineRoom{
		s.Files, s.Shell, s.Web, s.Look, s.Kept, s.Catalogue, s.Subagent, s.Created.Makers(),
		s.Making,
	}
}

// switched is a room's tools as a source of the Catalogue: without the groups that a person
// switched off (E2).
type switched struct {
	baselineRoom
	settings *config.Settings
}

// Definitions lists what is on.
func (s switched) Definitions(panel string) []toolspec.Definition {
	off := s.settings.List("groups_off")
	defs := s.baselineRoom.Definitions(panel)
	return slices.DeleteFunc(defs, func(d toolspec.Definition) bool { return slices.Contains(off, d.Group) })
}

// mayFollow reports whether a redirect of a tool may lead where call would: where it could go
// without a question. A host that was opened by hand may be a private one, and nobody who
// answers a request is to lead there.
func (s *System) mayFollow(ctx context.Context, call toolspec.Call) bool {
	for _, host := range s.Web.Describe(call).Hosts {
		if s.Pipeline.IsHostAllowed(call.From.Session, host) {
			return false
		}
	}
	return s.Pipeline.Allowed(ctx, call)
}
