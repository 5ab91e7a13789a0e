// Package web holds the tools that ask the network without a browser: http_request, wget and
// web_search.
//
// Each tool is one file with its parameters and one .md file that the model reads. Every
// request goes through the transport it is given (guard/egress), which judges the address it
// dials; a redirect to another host is followed only when the policy would let a call go there
// without a question, because nobody can be asked in the middle of one. An answer is bounded in
// bytes and time, is told as text when it is text and by type and size when it is not, and is
// always outside text: its origin stands in Result.Sources.
//
// The package asks no person and knows no grants; that is the policy's matter.
package web

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"sextant/backend/guard/secrets"
	"sextant/backend/tools/room"
	"sextant/shared/toolspec"
)

// Group is the group all tools of this room are in.
const Group = "web"

// Config is what the tools stand on.
type Config struct {
	// Transport is the one way out; it must follow no proxy of the environment.
	Transport http.RoundTripper
	// Allowed reports whether call would run without a question. It is asked of a redirect to
	// another host, with the address it leads to; nil allows none.
	Allowed func(ctx context.Context, call toolspec.Call) bool
	// Setting is the value in force of a setting (search_provider, web_per_minute …); nil knows none.
	Setting func(name string) string
	// Secrets are put into requests that name them; nil knows none.
	Secrets *secrets.Vault
	Log     *slog.Logger
	// Now is the clock of the rate limits, time.Now when nil.
	Now func() time.Time
}

// Tools are the tools for the web. Safe for concurrent use.
type Tools struct {
	room.List[tool]
	cfg      Config
	requests *rate
	searches *rate
}

// tool is one tool: its definition, how it is told before it runs, and what it does.
type tool struct {
	def      toolspec.Definition
	describe func(t *Tools, call toolspec.Call) toolspec.Description
	run      func(ctx context.Context, t *Tools, call toolspec.Call, out progress) toolspec.Result
}

// progress tells what an execution has come to.
type progress func(stream, text string)

// New makes the tools. It starts nothing.
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
	return &Tools{cfg: cfg, List: room.List[tool]{httpRequest(), wget(), webSearch()}, requests: &rate{now: cfg.Now}, searches: &rate{now: cfg.Now}}
}

// Definition implements room.Tool.
func (x tool) Definition() toolspec.Definition { return x.def }

// Describe says what call would do, from its arguments and the settings alone.
func (t *Tools) Describe(call toolspec.Call) toolspec.Description {
	x, ok := t.Find(call.Tool)
	if !ok {
		return toolspec.Description{Present: "Running " + call.Tool}
	}
	return x.describe(t, call)
}

// Execute runs one call; what went wrong stands in the Result.
func (t *Tools) Execute(ctx context.Context, call toolspec.Call, _ toolspec.Definition, out func(stream, text string)) (toolspec.Result, error) {
	x, ok := t.Find(call.Tool)
	if !ok {
		return toolspec.Fail(toolspec.ValidationError, "there is no tool "+call.Tool+" for the web", "Look at the list of tools again."), nil
	}
	if out == nil {
		out = func(string, string) {}
	}
	return x.run(ctx, t, call, out), nil
}

// define makes a definition; doc is the text of the tool's .md file.
func define(name, doc, parameters string, hints toolspec.Hints, examples ...string) toolspec.Definition {
	d := room.Define(name, Group, doc, parameters, hints, examples...)
	d.TimeoutMS = toolspec.MaxTimeoutMS
	return d
}
