// Package web holds the tools that use the network without a browser: http_request, wget and web_search.
//
// Each tool is one file with its parameters and one .md file that the model reads. Every request goes
// through the transport in Config, which checks the address it dials. A redirect to another host is followed
// only when the policy would allow a call there without a question, because nobody can be asked in between.
// A response is bounded in bytes and time, is shown as text or by its type and size, and is always outside
// text: its origin is in Result.Sources.
//
// The package asks nobody and knows no grants; that is the policy's matter.
package web

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"sextant/backend/sandbox/secrets"
	"sextant/backend/toolkit"
	"sextant/shared/toolspec"
)

// Group is the group of all tools of this package.
const Group = "web"

// Config is what the tools need. All but Transport may be zero.
type Config struct {
	// Transport sends every request; it must not use the proxy of the environment.
	Transport http.RoundTripper
	// Allowed reports whether call would run without a question. It is called for a redirect to another
	// host, with the address it leads to; nil allows none.
	Allowed func(ctx context.Context, call toolspec.Call) bool
	// Setting returns the effective value of a setting (search_provider, web_per_minute …); nil knows none.
	Setting func(name string) string
	// Secrets are inserted into requests that name them; nil knows none.
	Secrets *secrets.Vault
	Log     *slog.Logger
	// Now is the clock of the rate limits, time.Now when nil.
	Now func() time.Time
}

// Tools are the tools for the web. Safe for concurrent use.
type Tools struct {
	toolkit.List[tool]
	cfg      Config
	requests *rateLimiter
	searches *rateLimiter
}

// tool is a tool: its definition and its functions.
type tool struct {
	def      toolspec.Definition
	describe func(t *Tools, call toolspec.Call) toolspec.Description
	run      func(ctx context.Context, t *Tools, call toolspec.Call, out progress) toolspec.Result
}

// progress reports how far an execution is.
type progress func(stream, text string)

// New makes the tools.
func New(cfg Config) *Tools {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Setting == nil {
		cfg.Setting = func(string) string { return "" }
	}
	if cfg.Allowed == nil {
		cfg.Allowed = func(context.Context, toolspec.Call) bool { return false }
	}
	return &Tools{
		cfg: cfg, List: toolkit.List[tool]{httpRequest(), wget(), webSearch()},
		requests: &rateLimiter{now: cfg.Now}, searches: &rateLimiter{now: cfg.Now},
	}
}

// Definition implements toolkit.Tool.
func (t tool) Definition() toolspec.Definition { return t.def }

// Describe says what call would do, from its arguments and the settings alone.
func (t *Tools) Describe(call toolspec.Call) toolspec.Description {
	x, ok := t.Find(call.Tool)
	if !ok {
		return toolspec.Description{Present: "Running " + call.Tool}
	}
	return x.describe(t, call)
}

// Execute runs one call; a failure is in the Result.
func (t *Tools) Execute(
	ctx context.Context, call toolspec.Call, _ toolspec.Definition, out func(stream, text string),
) (toolspec.Result, error) {
	x, ok := t.Find(call.Tool)
	if !ok {
		bad := toolspec.Fail(toolspec.ValidationError, "there is no tool "+call.Tool, "Read the list of tools again.")
		return bad, nil
	}
	if out == nil {
		out = func(string, string) {}
	}
	return x.run(ctx, t, call, out), nil
}

// define makes the definition of a tool; doc is the text of its .md file.
func define(name, doc, parameters string, hints toolspec.Hints, examples ...string) toolspec.Definition {
	d := toolkit.Define(name, Group, doc, parameters, hints, examples...)
	d.TimeoutMS = toolspec.MaxTimeoutMS
	return d
}
