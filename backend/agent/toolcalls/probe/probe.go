// Package probe detects which format a model uses for tool calls by asking it for one call, and remembers the
// answer. It knows nothing of conversations and runs no tools.
package probe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/toolcalls"
	"sextant/shared/chat"
	"sextant/shared/toolspec"
)

// SettingsStore persists small values.
type SettingsStore interface {
	Setting(ctx context.Context, key string) (value string, ok bool, err error)
	SetSetting(ctx context.Context, key, value string) error
}

// Config configures a Prober. Only Settings is required.
type Config struct {
	Settings SettingsStore
	// Overrides returns formats that the user set, as provider/model=format. They take precedence.
	Overrides func() []string
	// TimeLimit is how long the model may take for each request; 0 is 10 s.
	TimeLimit time.Duration
	Now       func() time.Time
	Log       *slog.Logger
}

// Prober detects how models write tool calls, once for each model. Safe for concurrent use.
type Prober struct {
	cfg     Config
	probing chan struct{}
}

// Result is the format that a model uses.
type Result struct {
	Format toolcalls.Format `json:"kind"`
	// Confidence is between 0 and 1. Below 0.5 no call was recognized, and the model is probed again after a day. It is
	// 0 if the model was too slow to tell, which is tried again after ten minutes.
	Confidence float64 `json:"sure"`
	// Source says how the format is known: "probe", "person" (an override) or "known" (the service supports native
	// calls).
	Source string `json:"by"`
	// Endpoint is the address of the model's service. At another endpoint, the same name is another model.
	Endpoint string `json:"place,omitempty"`
	// Requests is the number of requests the probe needed.
	Requests int       `json:"requests,omitempty"`
	Time     time.Time `json:"time"`
	// FoundWeak is true if this Detect has probed the model and no call was recognized: it can hardly use tools.
	FoundWeak bool `json:"-"`
}

const (
	// ToolName is the tool in the probe's question. No such tool exists elsewhere.
	ToolName = "say_word"
	word     = "saffron"
	// maxTokens leaves room for a model that reasons first.
	maxTokens = 1024
	// MaxRequests limits the requests of a probe.
	MaxRequests   = 4
	minConfidence = 0.5
	retryAfter    = 24 * time.Hour
	// retrySlow is when a model that was too slow is probed again: a local server has loaded it by then.
	retrySlow     = 10 * time.Minute
	timeLimit     = 10 * time.Second
	settingPrefix = "dialect."
)

// New returns a Prober for cfg.
func New(cfg Config) *Prober {
	if cfg.Overrides == nil {
		cfg.Overrides = func() []string { return nil }
	}
	if cfg.TimeLimit == 0 {
		cfg.TimeLimit = timeLimit
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Prober{cfg: cfg, probing: make(chan struct{}, 1)}
}

// CheckOverride returns an error if s is not provider/model=format with a known format.
func CheckOverride(s string) error {
	name, kind, ok := splitOverride(s)
	if !ok || !strings.Contains(name, "/") || !toolcalls.Format(kind).Valid() {
		return fmt.Errorf(
			"%q is not provider/model=dialect; dialects are native, tool_call, hermes and fenced, e.g. "+
				"ollama/qwen3=hermes",
			s,
		)
	}
	return nil
}

func splitOverride(s string) (name, kind string, ok bool) {
	i := strings.LastIndexByte(s, '=')
	if i < 0 {
		return "", "", false
	}
	return strings.TrimSpace(s[:i]), strings.TrimSpace(s[i+1:]), true
}

// Detect returns how the model called name writes tool calls, and the tokens used to find out. The first time, it
// probes the model, native first, with at most MaxRequests requests. An error means that the model could not be asked;
// then nothing is remembered. A model that is too slow, as while a local server loads it, gets the first format that it
// has not refused, for some minutes.
func (p *Prober) Detect(ctx context.Context, name string, m llm.Model) (Result, chat.Usage, error) {
	for _, o := range p.cfg.Overrides() {
		if model, kind, ok := splitOverride(o); ok && model == name && toolcalls.Format(kind).Valid() {
			return Result{Format: toolcalls.Format(kind), Confidence: 1, Source: "person"}, chat.Usage{}, nil
		}
	}
	place := ""
	if at, ok := m.(llm.EndpointReporter); ok {
		base, native := at.Endpoint()
		if native {
			return Result{Format: toolcalls.FormatNative, Confidence: 1, Source: "known", Endpoint: base},
				chat.Usage{}, nil
		}
		place = base
	}
	if v, ok := p.remembered(ctx, name, place); ok {
		return v, chat.Usage{}, nil
	}
	// Probe one at a time, so that two conversations that start together probe once.
	select {
	case p.probing <- struct{}{}:
		defer func() { <-p.probing }()
	case <-ctx.Done():
		return Result{}, chat.Usage{}, ctx.Err()
	}
	if v, ok := p.remembered(ctx, name, place); ok {
		return v, chat.Usage{}, nil
	}
	v, usage, err := p.probe(ctx, m)
	if err != nil {
		return v, usage, err
	}
	v.FoundWeak = v.Confidence > 0 && v.Confidence < minConfidence
	v.Endpoint, v.Time = place, p.cfg.Now().UTC()
	p.cfg.Log.Info("dialect found", "model", name, "dialect", v.Format, "sure", v.Confidence, "requests", v.Requests)
	raw, err := json.Marshal(v)
	if err == nil {
		err = p.cfg.Settings.SetSetting(ctx, settingPrefix+name, string(raw))
	}
	if err != nil {
		p.cfg.Log.Warn("call format not remembered", "model", name, "err", err)
	}
	return v, usage, nil
}

func (p *Prober) remembered(ctx context.Context, name, place string) (Result, bool) {
	var v Result
	raw, ok, err := p.cfg.Settings.Setting(ctx, settingPrefix+name)
	if err != nil {
		p.cfg.Log.Warn("call format not read", "model", name, "err", err)
	}
	if !ok || err != nil || json.Unmarshal([]byte(raw), &v) != nil || !v.Format.Valid() || v.Endpoint != place {
		return Result{}, false
	}
	again := retryAfter
	if v.Confidence == 0 {
		again = retrySlow
	}
	return v, v.Confidence >= minConfidence || p.cfg.Now().Sub(v.Time) < again
}

// probe returns a Result with Confidence 0 if the model is too slow.
func (p *Prober) probe(ctx context.Context, m llm.Model) (Result, chat.Usage, error) {
	var usage chat.Usage
	best := Result{Format: toolcalls.FormatFenced, Confidence: 0.1, Source: "probe"}
	var refusal error
	answered := false
	for i, kind := range toolcalls.Formats() {
		bounded, cancel := context.WithTimeout(ctx, p.cfg.TimeLimit)
		got, err := ask(bounded, m, kind)
		late := bounded.Err() != nil && ctx.Err() == nil
		cancel()
		usage.Input += got.usage.Input
		usage.Output += got.usage.Output
		usage.Cached += got.usage.Cached
		switch {
		case err != nil && late:
			if i > 0 {
				kind = best.Format
			}
			return Result{Format: kind, Source: "probe", Requests: i + 1}, usage, nil
		case err != nil && (ctx.Err() != nil || !refused(err)):
			return Result{}, usage, err
		case err != nil:
			refusal = err
			continue
		}
		if !answered && kind == toolcalls.FormatNative {
			best.Format = toolcalls.FormatNative // the service at least accepts tools
		}
		answered = true
		if got.confidence > 0 {
			return Result{Format: got.format, Confidence: got.confidence, Source: "probe", Requests: i + 1}, usage, nil
		}
	}
	if !answered {
		return Result{}, usage, refusal
	}
	best.Requests = len(toolcalls.Formats())
	return best, usage, nil
}

// refused reports whether the service answered with an error, as it does if the model does not support tools. Other
// errors would affect the next request too.
func refused(err error) bool {
	var e *llm.Error
	return errors.As(err, &e) && e.Kind == llm.KindFailed
}

type attempt struct {
	format     toolcalls.Format
	confidence float64
	usage      chat.Usage
}

// ask requests the call in one format. A call in another format counts too: the model was trained on it.
func ask(ctx context.Context, m llm.Model, kind toolcalls.Format) (attempt, error) {
	defs := []toolspec.Definition{{
		Name: ToolName, Description: "Says one word to the person.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"word":{"type":"string"}},"required":["word"]}`),
	}}
	req := llm.Request{
		System: toolcalls.PromptSection(kind, defs), MaxTokens: maxTokens, NoFallback: true, CallsInText: true,
		Messages: []chat.Message{
			{
				Role: chat.RoleUser,
				Text: "Call the tool " + ToolName + " with the word " + word + ". Do nothing else.",
			},
		},
	}
	if kind == toolcalls.FormatNative {
		req.Tools = toolcalls.NativeFunctions(defs)
	}
	res, err := m.Stream(ctx, req, func(llm.Delta) {})
	got := attempt{usage: res.Usage}
	if err != nil {
		return got, err
	}
	for _, c := range res.Calls {
		got.record(toolcalls.FormatNative, c.Name, c.Args)
	}
	p := toolcalls.NewParser(toolcalls.NewToolset(defs), func(e toolcalls.Event) {
		if e.Call != nil {
			got.record(e.Call.Format, e.Call.Name, e.Call.Args)
		}
	})
	p.Write(res.Text)
	p.Close(res.Stop != llm.StopLength)
	return got, nil
}

func (a *attempt) record(kind toolcalls.Format, name string, args json.RawMessage) {
	if a.confidence > 0 || name != ToolName {
		return
	}
	a.format, a.confidence = kind, 0.7
	var answer struct {
		Word string `json:"word"`
	}
	if json.Unmarshal(args, &answer) == nil && answer.Word == word {
		a.confidence = 0.95
	}
}
