package process

import (
	"context"
	"os"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"sextant/backend/sandbox/confine"
)

// asServer makes the test binary an MCP server.
const asServer = "serve-mcp"

func TestMain(m *testing.M) {
	confine.RunStep() // a confined program starts this binary as a step of its run
	if len(os.Args) > 1 && os.Args[1] == asServer {
		serveMCP()
		return
	}
	goleak.VerifyTestMain(m)
}

// serveMCP answers on standard input and output until that ends.
func serveMCP() {
	type words struct {
		Path string `json:"path,omitempty"`
	}
	s := sdk.NewServer(&sdk.Implementation{Name: "notes", Version: "1"}, nil)
	add := func(name string, do func(ctx context.Context, in words) (string, error)) {
		sdk.AddTool(s, &sdk.Tool{Name: name, Description: name},
			func(ctx context.Context, _ *sdk.CallToolRequest, in words) (*sdk.CallToolResult, any, error) {
				text, err := do(ctx, in)
				if err != nil {
					return nil, nil, err
				}
				return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil, nil
			})
	}
	add("read", func(_ context.Context, in words) (string, error) {
		b, err := os.ReadFile(in.Path)
		return string(b), err
	})
	add("identity", func(context.Context, words) (string, error) { return os.Getenv("SEXTANT_PANEL_TOKEN"), nil })
	add("hang", func(ctx context.Context, _ words) (string, error) { <-ctx.Done(); select {} })
	add("die", func(context.Context, words) (string, error) {
		_, _ = os.Stderr.WriteString("Error: out of paper\n")
		os.Exit(3)
		return "", nil
	})
	_ = s.Run(context.Background(), &sdk.StdioTransport{})
}
