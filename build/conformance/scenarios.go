package main

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"

	"sextant/backend/mcp/mcpclient"
	"sextant/backend/mcp/requests"
)

// runScenario does what a person would do in the scenario. A failed call is an error only where the scenario
// cannot continue.
func runScenario(
	ctx context.Context, log *slog.Logger, servers *mcpclient.Servers, scenario string, data scenarioData,
) error {
	call := func(tool string, args any) error {
		raw, err := json.Marshal(args)
		if err != nil {
			return err
		}
		if r := servers.Call(ctx, serverName, tool, raw); !r.Success {
			log.Info("a call was refused", "tool", tool, "err", r.Error)
			return errors.New(r.Error)
		}
		return nil
	}
	switch {
	case strings.HasPrefix(scenario, "auth/"):
		return call("test-tool", map[string]any{})
	case scenario == "tools_call":
		return call("add_numbers", map[string]any{"a": 5, "b": 3})
	case scenario == "elicitation-sep1034-client-defaults":
		return call("test_client_elicitation_defaults", map[string]any{})
	case scenario == "sse-retry":
		return call("test_reconnection", map[string]any{})
	case scenario == "json-schema-2020-12-preservation":
		schema, _ := servers.Schema(serverName, "json_schema_2020_12_tool")
		return call("json_schema_echo", map[string]any{"schema": schema})
	case scenario == "http-custom-headers":
		for _, c := range data.ToolCalls {
			_ = call(c.Name, c.Arguments)
		}
	case scenario == "http-invalid-tool-headers", scenario == "sep-2322-client-request-state":
		for _, tool := range servers.List()[0].Tools {
			_ = call(tool, map[string]any{"region": "us-west1"})
		}
	case scenario == "http-standard-headers":
		return callEverything(ctx, servers, call)
	}
	return nil // other scenarios only connect and list
}

func callEverything(ctx context.Context, servers *mcpclient.Servers, call func(string, any) error) error {
	for _, tool := range servers.List()[0].Tools {
		_ = call(tool, map[string]any{})
	}
	resources, err := servers.Resources(ctx, serverName)
	if err != nil {
		return err
	}
	for _, r := range resources {
		if _, err := servers.Read(ctx, serverName, r.URI); err != nil {
			return err
		}
	}
	prompts, err := servers.Prompts(ctx, serverName)
	if err != nil {
		return err
	}
	for _, p := range prompts {
		if _, err := servers.Prompt(ctx, serverName, p.Name, nil); err != nil {
			return err
		}
	}
	return nil
}

// acceptForms returns a function that accepts every question without values, so that the client uses the defaults of
// the form. One scenario has no default and needs "confirmed".
func acceptForms(scenario string) func(context.Context, requests.Elicitation) (requests.Answer, error) {
	return func(context.Context, requests.Elicitation) (requests.Answer, error) {
		filled := map[string]any{}
		if scenario == "sep-2322-client-request-state" {
			filled["confirmed"] = true
		}
		return requests.Answer{Action: requests.ActionAccept, Content: filled}, nil
	}
}
