package httpapi

// routes registers every route of the door.
func (s *Server) routes() {
	s.toolRoutes()
	s.serverRoutes()
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
