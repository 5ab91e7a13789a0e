package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/toolprovider/results"
	"sextant/shared/toolspec"
)

const (
	maxMessage     = 16 << 20
	handshakeLimit = 15 * time.Second
)

type server struct {
	in      *os.File
	out     *io.PipeReader
	outSide *io.PipeWriter
	session *sdk.ClientSession
}

// IsMCPServer reports whether the program is an MCP server. Use CallTool then, otherwise Do.
func (r *Runner) IsMCPServer() bool { return r.panel.Backend.Kind == "mcp" }

func (r *Runner) beginServer(up *running, env []string) error {
	in, toIt, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("opening a pipe: %w", err)
	}
	s := &server{in: toIt}
	s.out, s.outSide = io.Pipe()
	if up.program, _, err = r.start(env, in, s.outSide); err != nil {
		s.close()
		return err
	}
	up.server = s
	r.tasks.Go(func() {
		<-up.Done()
		_ = s.outSide.CloseWithError(io.EOF)
	})
	return nil
}

func (r *Runner) connect(ctx context.Context, up *running) error {
	s := up.server
	if s == nil {
		return nil
	}
	limit, cancel := context.WithTimeout(ctx, handshakeLimit)
	defer cancel()
	client := sdk.NewClient(&sdk.Implementation{Name: "sextant", Version: "1"}, nil)
	session, err := client.Connect(limit, &sdk.IOTransport{Reader: s.out, Writer: s.in, MaxLineLength: maxMessage}, nil)
	if err != nil {
		if hasEnded(up) {
			return fmt.Errorf("the %s panel's MCP server exited at its start, %s", r.panel.Title, r.exit(up.program))
		}
		return fmt.Errorf("the %s panel's MCP server did not complete the handshake: %w", r.panel.Title, err)
	}
	s.session = session
	return nil
}

func (s *server) close() {
	if s.session != nil {
		_ = s.session.Close()
	}
	_ = s.in.Close()
	_ = s.out.Close()
}

// CallTool calls a tool of the MCP server and starts the server if necessary. A refusal by the server is a Result, not
// an error. sent is false if the server cannot have received the call. output receives a message about the start.
func (r *Runner) CallTool(ctx context.Context, tool string, args json.RawMessage,
	output func(stream, text string),
) (_ toolspec.Result, sent bool, err error) {
	up, done, err := r.acquire(ctx, output)
	if err != nil {
		return toolspec.Result{}, false, err
	}
	defer done()
	answer, err := up.server.session.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: args})
	var refused *jsonrpc.Error
	switch {
	case err == nil:
		return results.FromCallResult(r.panel.Title, answer), true, nil
	case ctx.Err() == nil && errors.As(err, &refused):
		return toolspec.Fail(toolspec.UserError, fmt.Sprintf("the MCP server of the %s panel refused %s: %.2000s",
				r.panel.Title, tool, refused.Message),
				"Check the arguments, and that the last segment of the tool's endpoint is the server's name for it."),
			true, nil
	}
	if ctx.Err() == nil {
		// The connection broke without an answer. The next call starts the program again.
		r.tasks.Go(func() { up.Stop(stopGrace) })
	}
	return toolspec.Result{}, true, err
}
