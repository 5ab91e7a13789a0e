package httpapi

import (
	"sextant/backend/api/mcproutes"
	"sextant/backend/api/openapi"
)

func (s *Server) routes() {
	s.toolRoutes()
	mcproutes.Routes{
		API: s.api, MCP: s.services.MCP, Apps: s.services.Apps, ImportReader: s.services.ImportReader,
	}.Register()
	s.linkRoutes()
	s.environmentRoutes()
	s.panelRoutes()
	s.panelPageRoutes()
	s.panelArchiveRoutes()
	s.panelProblemRoutes()
	s.panelReviewRoutes()
	s.panelStateRoutes()
	s.conversationRoutes()
	s.searchRoutes()
	s.transferRoutes()
	s.pilotRoutes()
	s.automationRoutes()
	s.stateRoutes()
	s.grantRoutes()
	s.auditRoutes()
	s.metricsRoutes()
	s.createdToolRoutes()
	s.changeRoutes()
	s.builtinPanelRoutes()
	s.secretRoutes()
	s.programRoutes()
	openapi.Complete(s.api.OpenAPI())
}
