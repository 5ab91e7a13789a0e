package app

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"sextant/app/openurl"
	"sextant/backend/agent/llm"
	"sextant/backend/agent/loop"
	mcpconfig "sextant/backend/mcp/config"
	"sextant/backend/mcp/consent"
	"sextant/backend/mcp/importers"
	"sextant/backend/mcp/launch"
	"sextant/backend/mcp/mcpclient"
	"sextant/backend/mcp/remotehttp"
	"sextant/backend/mcp/requests"
	"sextant/shared/chat"
	"sextant/shared/event"
)

func (s *System) openMCP(ctx context.Context, options OpenOptions) error {
	s.consent = consent.New(consent.Config{
		Approvals: s.Approvals, Mask: s.Secrets.Mask, OpenPage: s.openInBrowser, Model: s.languageModel,
		Complete: s.completeForServer,
	})
	config := mcpclient.Config{
		Path: s.mcpConfigPath(), Journal: publisher{s}, Log: s.Log,
		Version: Version, Secrets: s.Secrets,
		Egress: &remotehttp.Transport{Guard: s.mcpEgress, Servers: func() []event.MCPServer { return s.MCP.List() }},
		Store:  s.Secrets, KnownServers: s.Store, OpenPage: consent.RefuseSignIn, Elicit: s.consent.Elicit,
		Review: s.consent.Review, Sandbox: s.serverSandbox(options), Folder: s.WorkspaceFolder,
		AskRoots: s.consent.AskRoots, Sample: s.consent.Sample,
		CanSample:   func() bool { return s.languageModel() != "" },
		MetadataURL: s.Settings.Get("mcp_client_metadata"),
	}
	if options.Serve {
		config.OpenPage, config.ConfirmIssuer = s.consent.SignIn, s.consent.ConfirmIssuer
	}
	s.MCP = mcpclient.New(config)
	if err := s.MCP.Start(ctx); err != nil {
		return fmt.Errorf("starting MCP servers: %w", err)
	}
	s.OnClose("mcp servers", func() error { s.MCP.Close(); return nil })
	return nil
}

// mcpServers returns the MCP servers. Parts that are opened before the servers call it later.
func (s *System) mcpServers() *mcpclient.Servers { return s.MCP }

func (s *System) mcpConfigPath() string { return filepath.Join(s.Config.ConfigDir, mcpconfig.FileName) }

// mcpCommand returns the command line of an MCP server, "" if it is not a program or is not in the configuration.
func (s *System) mcpCommand(server string) string {
	return mcpconfig.CommandOf(s.mcpConfigPath(), server)
}

func (s *System) importReader() importers.Reader {
	return importers.NewReader(s.Config.DataDir, s.WorkspaceFolder())
}

func (s *System) serverSandbox(options OpenOptions) *launch.Sandbox {
	box := &launch.Sandbox{
		Confine: s.Confine, Homes: s.dataPath("mcp-servers"), Home: s.home,
		OwnFolders: []string{s.Config.DataDir, s.Config.ConfigDir}, Places: s.ProtectedPaths,
		GrantableFolders: []string{s.dataPath("downloads"), s.dataPath("notes")}, Bundles: s.dataPath("bundles"),
		ForbiddenPaths: s.forbiddenIn("an MCP server's program"),
		Egress:         s.mcpEgress, PortsKnown: s.portsKnown,
	}
	if options.Serve {
		box.ConfirmUnsandboxed = s.consent.ConfirmUnsandboxed
	}
	return box
}

// openInBrowser opens an address in the person's own browser. If that fails, the person can open it from the question,
// which shows it.
func (s *System) openInBrowser(address string) {
	if err := openurl.InBrowser(address); err != nil {
		s.Log.Warn("no browser could be opened; the person has to open the page", "err", err)
	}
}

func (s *System) languageModel() string {
	if name := s.Settings.Get("model"); name != llm.PilotName {
		return name
	}
	return ""
}

func (s *System) completeForServer(
	ctx context.Context, model string, messages []chat.Message, q requests.SamplingQuestion,
) (requests.SamplingAnswer, error) {
	reply, err := s.Loop.AskSideQuestion(ctx, loop.SideQuestion{
		Purpose: "server", Model: model, System: q.System, Messages: messages, MaxTokens: q.MaxTokens,
		Conversation: q.Call.From.Conversation, Turn: q.Call.From.Turn,
	})
	return requests.SamplingAnswer{
		Text: reply.Text, Model: cmp.Or(reply.AnsweredBy, model), Truncated: reply.Stop == llm.StopLength,
	}, err
}
