package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"sextant/backend/mcp/launch"
	"sextant/shared/event"
)

// serverProgram stands for the programs of MCP servers where rules name a tool: only those for all
// tools hold for them.
const serverProgram = "an MCP server's program"

// serverSandbox is what the programs of MCP servers run behind: the sandbox of commands.
func (s *System) serverSandbox(purpose Purpose) *launch.Sandbox {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // then no place is known as the person's
	}
	box := &launch.Sandbox{
		Confine: s.Confine, Homes: filepath.Join(s.Config.DataDir, "mcp-servers"), Home: home,
		OwnFolders: []string{s.Config.DataDir, s.Config.ConfigDir}, Places: s.Places,
		GrantableFolders: []string{
			filepath.Join(s.Config.DataDir, "downloads"),
			filepath.Join(s.Config.DataDir, "notes"),
		}, Bundles: filepath.Join(s.Config.DataDir, "bundles"),
		Forbidden: func(ctx context.Context) ([]string, error) {
			return s.hiddenFrom(ctx, serverProgram, followed(s.Workspace()))
		},
		Egress: s.mcpGuard, PortsKnown: s.portsKnown,
	}
	if purpose.Serve {
		box.ConfirmUnsandboxed = s.serverOutside
	}
	return box
}

// serverOutside asks the person whether an MCP server may run without a sandbox.
func (s *System) serverOutside(ctx context.Context, server, line, why string) (bool, error) {
	// A server is started before there is a Desk.
	select {
	case <-s.deskOpen:
	case <-ctx.Done():
		return false, fmt.Errorf("asking to start it: %w", ctx.Err())
	}
	said, err := s.put(ctx, event.Approval{
		Tool: "mcp", Question: fmt.Sprintf("Start %s without a sandbox?", server),
		Does:   "Runs its program on this machine as you, with all your files and your network, until Sextant ends.",
		Target: line, Why: "There is no sandbox here that could hold it to what it was granted: " + why + ".",
		Yes: "Start it", No: "Don't start it",
	})
	if err == nil && said.Answer != event.AnswerOnce && said.Reason != "" {
		err = errors.New(said.Reason)
	}
	return err == nil && said.Answer == event.AnswerOnce, err
}
