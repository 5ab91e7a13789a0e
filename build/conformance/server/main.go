// Command server is the server that the MCP conformance suite tests: Sextant's MCP server (backend/api/mcpserver)
// with the suite's tools, resources and prompts. It prints its address and serves until it is interrupted:
//
//	go run ./build/conformance/server -port 8800
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"sextant/backend/api/mcpserver"
)

func main() {
	port := flag.Int("port", 0, "the port to listen on; 0 picks a free one")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx, *port); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(1)
	}
}

// serve listens on port until ctx ends or the server fails.
func serve(ctx context.Context, port int) error {
	ln, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port))
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	host := newJoinServer()
	defer host.Close()
	mux := http.NewServeMux()
	mux.Handle(mcpserver.JoinPath, host)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	fmt.Println("http://" + ln.Addr().String() + mcpserver.JoinPath)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ln) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	host.Close()
	return server.Close()
}

// newJoinServer returns a server that offers the suite's fixtures to every client.
func newJoinServer() *mcpserver.JoinServer {
	feed := &changeFeed{}
	return mcpserver.NewJoinServer(func(ctx context.Context, request mcpserver.JoinRequest) (mcpserver.Config, func()) {
		changed, stop := feed.subscribe()
		return mcpserver.Config{
			Tools: plainTools{}, Caller: pipeline{}, Version: "conformance", Client: request.Client,
			Resources: resourceProvider{}, LocalTools: fixtures(feed), Changes: changed, ReportsPromptChanges: true,
		}, stop
	})
}
