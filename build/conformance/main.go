// Command conformance is the client that the MCP conformance suite runs. It drives Sextant's MCP client
// (backend/mcp/mcpclient) with a config file as a person would write it. In place of the person, it opens every sign-in
// page and accepts every form.
//
// The suite starts it once per scenario, with the address of its server as the last argument and the scenario's
// name and data in environment variables (MCP_CONFORMANCE_…). scenarios.go contains the client's actions in each
// scenario; the suite checks them.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"time"

	mcpconfig "sextant/backend/mcp/config"
	"sextant/backend/mcp/mcpclient"
	"sextant/shared/event"
	"sextant/shared/wire"
)

const serverName = "suite"

func main() {
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	if len(os.Args) < 2 {
		log.Error("usage: mcp-conformance-client URL, with MCP_CONFORMANCE_SCENARIO set")
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 28*time.Second)
	defer cancel()
	if err := run(ctx, log, os.Args[len(os.Args)-1]); err != nil {
		log.Error("the scenario failed", "err", err)
		os.Exit(1) //nolint:gocritic // nothing is left to clean up but a context
	}
}

// scenarioData is the suite's data for a scenario; each scenario uses a few fields.
type scenarioData struct {
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	PrivateKey   string `json:"private_key_pem"`
	Algorithm    string `json:"signing_algorithm"`
	ToolCalls    []struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"toolCalls"`
}

func run(ctx context.Context, log *slog.Logger, address string) error {
	var data scenarioData
	if text := os.Getenv("MCP_CONFORMANCE_CONTEXT"); text != "" {
		if err := json.Unmarshal([]byte(text), &data); err != nil {
			return fmt.Errorf("reading MCP_CONFORMANCE_CONTEXT: %w", err)
		}
	}
	folder, err := os.MkdirTemp("", "conformance-*")
	if err != nil {
		return fmt.Errorf("making a folder: %w", err)
	}
	defer os.RemoveAll(folder)
	scenario := os.Getenv("MCP_CONFORMANCE_SCENARIO")
	config, err := json.Marshal(map[string]map[string]mcpconfig.Entry{
		"mcpServers": {serverName: configEntry(scenario, address, data)},
	})
	if err != nil {
		return fmt.Errorf("writing the config: %w", err)
	}
	path := filepath.Join(folder, mcpconfig.FileName)
	if err := os.WriteFile(path, config, 0o600); err != nil {
		return fmt.Errorf("writing the config: %w", err)
	}
	watcher := &stateWatcher{changed: make(chan struct{}, 1)}
	servers := mcpclient.New(mcpclient.Config{
		Path: path, Journal: watcher, Log: log, Version: "conformance", OpenPage: openPage,
		Elicit:       acceptForms(scenario),
		KnownServers: newMemory(os.Getenv("MCP_CONFORMANCE_PROTOCOL_VERSION")),
		// The suite expects this URL and never fetches it.
		MetadataURL: "https://conformance-test.local/client-metadata.json",
	})
	if err := servers.Start(ctx); err != nil {
		return fmt.Errorf("starting: %w", err)
	}
	defer servers.Close()
	if err := watcher.waitReady(ctx, servers); err != nil {
		return err
	}
	return runScenario(ctx, log, servers, scenario, data)
}

func configEntry(scenario, address string, data scenarioData) mcpconfig.Entry {
	e := mcpconfig.Entry{URL: address}
	if data.ClientID != "" {
		e.OAuth = &mcpconfig.OAuth{
			ClientID: data.ClientID, ClientSecret: data.ClientSecret, PrivateKey: data.PrivateKey,
			Algorithm: data.Algorithm,
		}
		if scenario == "auth/client-credentials-basic" || scenario == "auth/client-credentials-jwt" {
			e.OAuth.GrantType = "client_credentials"
		}
	}
	return e
}

// stateWatcher is a journal that signals when the state of the server changed.
type stateWatcher struct{ changed chan struct{} }

// Publish signals a change.
func (w *stateWatcher) Publish(event.Event) {
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

// waitReady waits until the server is ready. It returns an error if the server is down or ctx ends first.
func (w *stateWatcher) waitReady(ctx context.Context, servers *mcpclient.Servers) error {
	for {
		if list := servers.List(); len(list) == 1 {
			switch list[0].State {
			case "ready":
				return nil
			case "down":
				return errors.New(list[0].Error)
			}
		}
		select {
		case <-w.changed:
		case <-ctx.Done():
			return fmt.Errorf("waiting for the server: %w", ctx.Err())
		}
	}
}

// openPage loads a sign-in page. The suite's issuer redirects back without asking anything.
func openPage(ctx context.Context, _, page string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return fmt.Errorf("opening the page: %w", err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("opening the page: %w", err)
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// fixedMemory is a store that already contains the suite's protocol revision, as after a first connection.
type fixedMemory struct{ era string }

func newMemory(revision string) mcpclient.KnownServerStore {
	if revision == "" {
		return nil
	}
	return fixedMemory{revision}
}

// KnownServer returns the revision that the suite wants.
func (m fixedMemory) KnownServer(context.Context, string) (wire.KnownServer, error) {
	return wire.KnownServer{Revision: m.era, Probed: time.Now()}, nil
}

// SaveKnownServer stores nothing: the process runs one scenario.
func (m fixedMemory) SaveKnownServer(context.Context, wire.KnownServer) error { return nil }
