package httpapi

import "sextant/backend/api/mcproutes"

// routes registers every route of the door.
func (s *Server) routes() {
	s.toolRoutes()
	mcproutes.Routes{API: s.api, MCP: s.rooms.MCP, Foreign: s.rooms.Foreign}.Register()
	s.appRoutes()
	s.environmentRoutes()
	s.panelRoutes()
	s.panelOwnRoutes()
	s.packageRoutes()
	s.problemRoutes()
	s.decideRoutes()
	s.pageRoutes()
	s.talkRoutes()
	s.pilotRoutes()
	s.automationRoutes()
	s.stateRoutes()
	s.recordRoutes()
	s.metricsRoutes()
	s.createdRoutes()
	s.changeRoutes()
	s.deskRoutes()
	s.secretRoutes()
	s.programRoutes()
	s.registerStream()
}
