// Package mcpapps serves the pages of MCP servers (MCP Apps) to the window: which page shows the calls of a
// tool, the origins that it may use, its calls and resources, and the context that it gives the model.
//
// A page is code from outside. Its calls count as the app's and never as the person's; they go through the
// pipeline and are limited per server. Package mcp/apps reads the pages; package pages serves them.
package mcpapps

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"

	"sextant/backend/agent/prompt"
	"sextant/backend/api/pages"
	"sextant/backend/mcp/apps"
	"sextant/backend/mcp/mcpclient"
	"sextant/backend/policy"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// Config configures a Service. All fields are required.
type Config struct {
	// Servers returns the MCP servers; it is called for each request.
	Servers func() *mcpclient.Servers
	Do      func(ctx context.Context, call toolspec.Call) toolspec.Result
	// PageURL returns the address of a file (entry) of the page with that id.
	PageURL func(id, entry string) string
	// HasWindow reports whether a window is open in which a person can be asked.
	HasWindow func() bool
	// Mask replaces the values of secrets in a text.
	Mask     func(text string) string
	OpenMail func(address string) error
	Log      *slog.Logger
}

// Service answers the requests of the pages of MCP servers. Its methods may be called concurrently.
type Service struct {
	cfg      Config
	requests apps.RequestLimiter
	denials  apps.DenialLimiter
	cache    apps.PageCache
	context  apps.ModelContext
}

// New makes a Service.
func New(cfg Config) *Service { return &Service{cfg: cfg} }

// Show reads the page of a tool from its server. It returns the address that serves the page, and the origins that it
// may use and wants to use. It forgets earlier denials of the server's calls.
func (s *Service) Show(ctx context.Context, server, tool string) (wire.App, error) {
	servers := s.cfg.Servers()
	page, shown, err := servers.App(ctx, server, tool)
	if err != nil {
		return wire.App{}, err
	}
	allowed, err := servers.AppDomains(ctx, server)
	if err != nil {
		return wire.App{}, err
	}
	s.denials.Reset(server)
	id := s.cache.Put(server, page, allowed)
	out := wire.App{
		URL: s.cfg.PageURL(id, pages.DocumentFile), Border: page.PrefersBorder,
		Tool: wireTool(shown), Tools: []wire.AppTool{},
		Allowed: []string{}, Wants: []string{},
	}
	for _, t := range servers.AppTools(server) {
		out.Tools = append(out.Tools, wireTool(t))
	}
	for _, use := range page.Domains.Uses() {
		if slices.Contains(allowed, use) {
			out.Allowed = append(out.Allowed, use)
		} else {
			out.Wants = append(out.Wants, use)
		}
	}
	s.cfg.Log.Info("page of an MCP server is shown", "server", server, "page", page.URI, "reaches", out.Allowed,
		"wants", out.Wants, "permissions", page.Permissions)
	return out, nil
}

func wireTool(t mcpclient.AppTool) wire.AppTool {
	return wire.AppTool{Name: t.Name, Description: t.Description, InputSchema: t.InputSchema}
}

// AllowOrigins adds to the origins that the pages of a server may use, from the next Show on. Each of uses is a use and
// an origin, such as "connect https://a.example".
func (s *Service) AllowOrigins(ctx context.Context, server string, uses []string) error {
	return s.cfg.Servers().AllowAppDomains(ctx, server, uses)
}

// AllowedOrigins returns the uses of origins that the pages of a server are allowed.
func (s *Service) AllowedOrigins(ctx context.Context, server string) ([]string, error) {
	return s.cfg.Servers().AppDomains(ctx, server)
}

// RevokeOrigin revokes one use of an origin. The pages of the server that were shown are no longer served.
func (s *Service) RevokeOrigin(ctx context.Context, server, use string) error {
	defer s.cache.Drop(server)
	return s.cfg.Servers().RevokeAppDomain(ctx, server, use)
}

// Call makes a call for a server's page; tool is any of the tool's names. It returns the server's answer, or the
// result or error in the same form.
func (s *Service) Call(
	ctx context.Context, server, tool, conversation string, args json.RawMessage,
) json.RawMessage {
	leave, err := s.requests.Begin(server)
	if err == nil {
		if err = s.denials.Check(server); err != nil {
			leave()
		}
	}
	if err != nil {
		return failedResult(toolspec.Fail(toolspec.UserError, err.Error(), ""))
	}
	defer leave()
	name, ok := s.cfg.Servers().ToolName(server, tool)
	if !ok {
		name = tool
	}
	if len(args) == 0 || string(args) == "null" {
		args = json.RawMessage("{}")
	}
	r := s.cfg.Do(ctx, toolspec.Call{Tool: name, Args: args, From: toolspec.Provenance{
		Caller: toolspec.CallerApp, Client: server, Conversation: conversation, Interactive: s.cfg.HasWindow(),
		NeedsFullResults: true,
		Outside:          []string{policy.AppSource(server)},
	}})
	if r.ErrorType == toolspec.PermissionError {
		s.denials.RecordDenial(server)
	}
	if len(r.AppResult) > 0 {
		return r.AppResult
	}
	if !r.Success {
		return failedResult(r)
	}
	return textResult(r.ModelText(), false)
}

func failedResult(r toolspec.Result) json.RawMessage { return textResult(r.ModelText(), true) }

func textResult(text string, failed bool) json.RawMessage {
	type block struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	raw, err := json.Marshal(struct {
		Content []block `json:"content"`
		IsError bool    `json:"isError,omitempty"`
	}{[]block{{"text", text}}, failed})
	if err != nil {
		return json.RawMessage(`{"content":[],"isError":true}`) // strings can always be marshalled
	}
	return raw
}

// Read returns the result of resources/read for a server's page.
func (s *Service) Read(ctx context.Context, server, uri string) (json.RawMessage, error) {
	leave, err := s.requests.Begin(server)
	if err != nil {
		return nil, err
	}
	defer leave()
	return s.cfg.Servers().ReadForApp(ctx, server, uri)
}

// SetContext stores the context that a server's page gives the model in a conversation.
func (s *Service) SetContext(server, conversation string, content, structured json.RawMessage) error {
	if conversation == "" {
		return errors.New("the page belongs to no conversation")
	}
	return s.context.Put("conversation "+conversation, policy.AppSource(server), content, structured)
}

// SetPanelContext stores the context that the page of a panel gives the model while the panel is active.
func (s *Service) SetPanelContext(panel string, content, structured json.RawMessage) error {
	return s.context.Put("panel "+panel, policy.PanelSource(panel), content, structured)
}

// PageContexts returns the context that pages give the model in a conversation while panel is active, with secrets
// masked. Text is "" for a page of a server that is not connected.
func (s *Service) PageContexts(conversation, panel string) []prompt.PageContext {
	var all []prompt.PageContext
	for _, t := range append(s.context.Latest("conversation "+conversation), s.context.Latest("panel "+panel)...) {
		server, app := strings.CutPrefix(t.Source, policy.AppSource(""))
		if app && !s.cfg.Servers().IsConnected(server) {
			t.Text = ""
		}
		all = append(all, prompt.PageContext{Source: t.Source, Text: s.cfg.Mask(t.Text)})
	}
	return all
}

// WriteLog writes a line from a server's page to the server's log.
func (s *Service) WriteLog(server, line string) error {
	return s.cfg.Servers().WriteAppLog(server, line)
}

// Page returns the content that the page server serves for the page of a connected server, by the id of the page.
func (s *Service) Page(id string) (pages.Source, bool) {
	shown, ok := s.cache.Page(id)
	ok = ok && s.cfg.Servers().IsConnected(shown.Server)
	return pages.Source{Document: shown.HTML, Origins: grants(shown.Domains)}, ok
}

// MayReach reports whether a page of a connected server that was shown lately may reach host.
func (s *Service) MayReach(host string) bool {
	return slices.ContainsFunc(s.cache.Pages(), func(p apps.CachedPage) bool {
		return s.cfg.Servers().IsConnected(p.Server) && grants(p.Domains).Allows(host)
	})
}

func grants(d apps.Domains) pages.OriginRules {
	return pages.OriginRules{Connect: d.Connect, Resource: d.Resource, Frame: d.Frame, Base: d.Base, AllowsEval: true}
}
