package registry

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/toolprovider/results"
	"sextant/shared/toolspec"
)

const maxEvent = 16 << 20

// Each call opens a connection, so that the server can be restarted at any time.
func (r *Registry) callMCPServer(ctx context.Context, o *callable, sent endpointCall) toolspec.Result {
	client := r.client(o)
	if client == nil {
		return noEgress(o)
	}
	transport := &sdk.StreamableClientTransport{
		Endpoint: o.url, HTTPClient: client, MaxEventSize: maxEvent,
		DisableStandaloneSSE: true, MaxRetries: -1,
	}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "sextant", Version: "1"}, nil).Connect(ctx, transport, nil)
	if err != nil {
		return unreachable(ctx, o, sent, fmt.Errorf("its MCP server did not complete the handshake: %w", err))
	}
	defer session.Close()
	tool := o.Path[strings.LastIndexByte(o.Path, '/')+1:]
	got, err := session.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: sent.args})
	var refused *jsonrpc.Error
	switch {
	case err == nil:
		return results.FromCallResult(o.title, got)
	case ctx.Err() == nil && errors.As(err, &refused):
		return toolspec.Fail(toolspec.UserError, fmt.Sprintf("the MCP server of the %s panel refused %s: %.2000s",
			o.title, tool, refused.Message),
			"Check the arguments, and that the last segment of the tool's endpoint is the server's name for it.")
	}
	return unreachable(ctx, o, sent, err)
}
