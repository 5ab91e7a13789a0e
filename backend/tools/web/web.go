// Package web provides the tools that use the network without a browser: http_request, wget and web_search.
//
// A redirect to another host is followed only if the request sends no headers or data of the caller, and the policy
// would allow the call with the new address without a question, because nobody can be asked during a request. A
// response is limited in bytes and time. Its text is outside text, and its origin is in Result.Sources.
//
// Package policy decides about permissions.
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

// Config configures Tools. All fields but Transport may be zero.
type Config struct {
	// Transport sends the requests. It must check the addresses that it dials.
	Transport http.RoundTripper
	// IsAllowed reports whether call would run without a question. It is called for a redirect to another host, with
	// the new address. Nil allows no such redirect.
	IsAllowed func(ctx context.Context, call toolspec.Call) bool
	// Setting returns the effective value of a setting such as search_provider or web_per_minute.
	Setting func(name string) string
	// Secrets contains the secrets that requests may name.
	Secrets *secrets.Vault
	Log     *slog.Logger
	// Now is the clock of the rate limits; nil is time.Now.
	Now func() time.Time
}

// Tools provides the web tools. It is safe for concurrent use.
type Tools struct {
	toolkit.List[tool]
	cfg      Config
	requests *rateLimiter
	searches *rateLimiter
}

type tool struct {
	def      toolspec.Definition
	describe func(t *Tools, call toolspec.Call) toolspec.Description
	run      func(ctx context.Context, t *Tools, call toolspec.Call, out progress) toolspec.Result
}

type progress func(stream, text string)

// New returns the web tools.
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
	if cfg.IsAllowed == nil {
		cfg.IsAllowed = func(context.Context, toolspec.Call) bool { return false }
	}
	return &Tools{
		cfg: cfg, List: toolkit.List[tool]{httpRequest(), wget(), webSearch()},
		requests: &rateLimiter{now: cfg.Now}, searches: &rateLimiter{now: cfg.Now},
	}
}

func (t tool) Definition() toolspec.Definition { return t.def }

// Describe returns the effect of call.
func (t *Tools) Describe(call toolspec.Call) toolspec.Description {
	x, ok := t.Find(call.Tool)
	if !ok {
		return toolspec.Description{Sentence: "Running " + call.Tool}
	}
	return x.describe(t, call)
}

// Execute runs one call. A failure is in the Result; the error is always nil.
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

func define(name, doc, parameters string, hints toolspec.Hints, examples ...string) toolspec.Definition {
	d := toolkit.Define(name, Group, doc, parameters, hints, examples...)
	d.TimeoutMS = toolspec.MaxTimeoutMS
	return d
}
