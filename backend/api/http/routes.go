package httpapi

import (
	"sextant/backend/api/backuproutes"
	"sextant/backend/api/batchroutes"
	"sextant/backend/api/browserroutes"
	"sextant/backend/api/instructionroutes"
	"sextant/backend/api/mcproutes"
	"sextant/backend/api/modelroutes"
	"sextant/backend/api/openapi"
	"sextant/backend/api/programroutes"
	"sextant/backend/api/reciperoutes"
	"sextant/backend/api/scheduleroutes"
	"sextant/backend/api/transferroutes"
	"sextant/backend/tools/workspace"
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
	transferroutes.Routes{
		API: s.api, Store: s.services.Store, Events: s.services.Events, Secrets: s.services.Secrets,
		Conversation: s.conversation,
	}.Register()
	backuproutes.Routes{API: s.api, Backups: s.services.Backups, Store: s.services.Store}.Register()
	reciperoutes.Routes{API: s.api, Recipes: s.services.Recipes}.Register()
	scheduleroutes.Routes{API: s.api, Schedules: s.services.Schedules}.Register()
	batchroutes.Routes{API: s.api, Batches: s.services.Batches, Picture: s.services.RowPicture}.Register()
	instructionroutes.Routes{
		API: s.api, Instructions: s.services.Instructions, Notes: s.services.Workspace,
		MaxNote: workspace.MaxPromptNote, Folder: s.services.Folder,
	}.Register()
	modelroutes.Routes{API: s.api, Models: s.services.Models}.Register()
	browserroutes.Routes{
		API: s.api, Browser: s.services.Browser, History: s.services.Store,
		Uploads: s.services.Uploads, AwaitInput: s.services.AwaitInput, Folder: s.services.Folder,
	}.Register()
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
	programroutes.Routes{API: s.api, Programs: s.services.Programs}.Register()
	openapi.Complete(s.api.OpenAPI())
}
