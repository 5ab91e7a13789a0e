package cli

import (
	"context"
	"errors"

	"sextant/app"
	"sextant/app/cli/verb"
	"sextant/app/config"
	"sextant/app/instance"
	"sextant/backend/api/mcpserver"
	"sextant/backend/api/mcpserver/sharing"
)

func (v *mcpVerb) join(ctx context.Context, config *config.Config, io verb.Streams) error {
	if v.Panel != "" {
		at, err := instance.Connect(ctx, config.DataDir)
		if err == nil {
			var place mcpserver.Instance
			if place, err = mcpInstance(at); err == nil {
				err = place.Check(ctx, mcpserver.JoinRequest{Tools: v.Tools, Panel: v.Panel, SharesTabs: v.Share})
			}
		}
		if err != nil {
			return verb.Failure(verb.ExitUsage, "--panel: %v", err)
		}
	}
	err := mcpserver.Relay(ctx, mcpserver.RelayConfig{
		Find: func(ctx context.Context) (mcpserver.Instance, error) {
			at, err := instance.Connect(ctx, config.DataDir)
			if err != nil {
				return mcpserver.Instance{},
					errors.New("the running Sextant has ended. Start sextant again and repeat the call; " +
						"or start sextant mcp with --headless for a separate browser")
			}
			return mcpInstance(at)
		},
		Tools: v.Tools, Panel: v.Panel, SharesTabs: v.Share, Version: app.Version, Instructions: sharing.Instructions,
	}, io.In, io.Out)
	if err != nil && ctx.Err() == nil {
		return verb.Failure(verb.ExitFailed, "the MCP connection ended: %v", err)
	}
	return nil
}
