package dialect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"sextant/backend/agent/llm"
	"sextant/shared/chat"
	"sextant/shared/toolspec"
)

// SettingsStore persists small values.
type Memory interface {
	Setting(ctx context.Context, key string) (value string, ok bool, err error)
	SetSetting(ctx context.Context, key, value string) error
}

// ProbeConfig configures a Prober. Only Memory is required.
type ProbeConfig struct {
	Memory Memory
	// Overrides are set by the user as provider/model=format; they win.
	Overrides func() []string
	Now       func() time.Time
	Log       *slog.Logger
}

// Prober detects how models write tool calls, once for each model. Safe for concurrent use.
type Prober struct {
	cfg ProbeConfig
	one chan struct{}
}

// Detection is the format a model uses and how that is known.
type Verdict struct {
	Kind Kind `json:"kind"`
	// Confidence is between 0 and 1. Below 0.5 nothing was recognised, and the model is probed again after a
	// day.
	Sure float64 `json:"sure"`
	// Source is probe, person or known.
	By string `json:"by"`
	// Endpoint is where the model was reached. At another endpoint it counts as another model.
	Place string `json:"place,omitempty"`
	// Requests is how many requests the probe took.
	Requests int       `json:"requests,omitempty"`
	Time     time.Time `json:"time"`
}

const (
	// ProbeTool is the tool in the probe's question; it exists nowhere else.
	ProbeTool = "say_word"
	probeWord = "saffron"
	// probeTokens leaves room for a model that reasons first.
	probeTokens = 1024
	// MaxProbes limits the requests of a probe.
	MaxProbes = 4
	unsure    = 0.5
	unsureFor = 24 * time.Hour
	memoryKey = "dialect."
)

// NewProber makes a Prober.
func NewProber(cfg ProbeConfig) *Prober {
	if cfg.Overrides == nil {
		cfg.Overrides = func() []string { return nil }
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Prober{cfg: cfg, one: make(chan struct{}, 1)}
}

// CheckOverride returns what is wrong with provider/model=format.
func CheckOverride(s string) error {
	name, kind, ok := cutLast(s)
	if !ok || !strings.Contains(name, "/") || !Kind(kind).Valid() {
		return fmt.Errorf(
			"%q is not provider/model=dialect; dialects are native, tool_call, hermes and fenced, e.g. ollama/qwen3=hermes",
			s,
		)
	}
	return nil
}

func cutLast(s string) (name, kind string, ok bool) {
	i := strings.LastIndexByte(s, '=')
	if i < 0 {
		return "", "", false
	}
	return strings.TrimSpace(s[:i]), strings.TrimSpace(s[i+1:]), true
}

// Detect returns how the model called name writes tool calls. The first time it probes the model, native
// first, with at most MaxProbes requests; usage is what they took. An error means that the model could not be
// asked; nothing is remembered then.
func (p *Prober) Dialect(ctx context.Context, name string, m llm.Model) (Verdict, chat.Usage, error) {
	for _, o := range p.cfg.Overrides() {
		if model, kind, ok := cutLast(o); ok && model == name && Kind(kind).Valid() {
			return Verdict{Kind: Kind(kind), Sure: 1, By: "person"}, chat.Usage{}, nil
		}
	}
	place := ""
	if at, ok := m.(llm.Placed); ok {
		base, native := at.Place()
		if native {
			return Verdict{Kind: Native, Sure: 1, By: "known", Place: base}, chat.Usage{}, nil
		}
		place = base
	}
	if v, ok := p.remembered(ctx, name, place); ok {
		return v, chat.Usage{}, nil
	}
	// One probe at a time, so that two conversations starting together probe once.
	select {
	case p.one <- struct{}{}:
		defer func() { <-p.one }()
	case <-ctx.Done():
		return Verdict{}, chat.Usage{}, ctx.Err()
	}
	if v, ok := p.remembered(ctx, name, place); ok {
		return v, chat.Usage{}, nil
	}
	v, usage, err := probe(ctx, m)
	if err != nil {
		return v, usage, err
	}
	v.Place, v.Time = place, p.cfg.Now().UTC()
	p.cfg.Log.Info("dialect found", "model", name, "dialect", v.Kind, "sure", v.Sure, "requests", v.Requests)
	raw, err := json.Marshal(v)
	if err == nil {
		err = p.cfg.Memory.SetSetting(ctx, memoryKey+name, string(raw))
	}
	if err != nil {
		p.cfg.Log.Warn("dialect not remembered", "model", name, "error", err)
	}
	return v, usage, nil
}

// remembered returns an earlier detection that is still valid.
func (p *Prober) remembered(ctx context.Context, name, place string) (Verdict, bool) {
	var v Verdict
	raw, ok, err := p.cfg.Memory.Setting(ctx, memoryKey+name)
	if err != nil {
		p.cfg.Log.Warn("dialect not read", "model", name, "error", err)
	}
	if !ok || err != nil || json.Unmarshal([]byte(raw), &v) != nil || !v.Kind.Valid() || v.Place != place {
		return Verdict{}, false
	}
	return v, v.Sure >= unsure || p.cfg.Now().Sub(v.Time) < unsureFor
}

// probe asks for one call in each format until one comes.
func probe(ctx context.Context, m llm.Model) (Verdict, chat.Usage, error) {
	var usage chat.Usage
	best := Verdict{Kind: Fenced, Sure: 0.1, By: "probe"}
	var refusal error
	answered := false
	for i, kind := range Kinds() {
		heard, err := ask(ctx, m, kind)
		usage.Input += heard.usage.Input
		usage.Output += heard.usage.Output
		usage.Cached += heard.usage.Cached
		switch {
		case err != nil && (ctx.Err() != nil || !refused(err)):
			return Verdict{}, usage, err
		case err != nil:
			refusal = err
			continue
		}
		if !answered && kind == Native {
			best.Kind = Native // it at least takes tools
		}
		answered = true
		if heard.sure > 0 {
			return Verdict{Kind: heard.kind, Sure: heard.sure, By: "probe", Requests: i + 1}, usage, nil
		}
	}
	if !answered {
		return Verdict{}, usage, refusal
	}
	best.Requests = len(Kinds())
	return best, usage, nil
}

// refused reports whether the service rejected the request as such, as servers do whose model knows no tools.
// Other errors would hit the next request too.
func refused(err error) bool {
	var e *llm.Error
	return errors.As(err, &e) && e.Kind == llm.Failed
}

// probeResult is the result of one question of a probe.
type answer struct {
	kind  Kind
	sure  float64
	usage chat.Usage
}

// ask asks for the call in one format. An answer in another format counts too: the model was trained on that
// one.
func ask(ctx context.Context, m llm.Model, kind Kind) (answer, error) {
	defs := []toolspec.Definition{{
		Name: ProbeTool, Description: "Says one word to the person.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"word":{"type":"string"}},"required":["word"]}`),
	}}
	req := llm.Request{
		System: Section(kind, defs), MaxTokens: probeTokens, Alone: true, Written: true,
		Messages: []chat.Message{
			{
				Role: chat.RoleUser,
				Text: "Call the tool " + ProbeTool + " with the word " + probeWord + ". Do nothing else.",
			},
		},
	}
	if kind == Native {
		req.Tools = functions(defs)
	}
	res, err := m.Stream(ctx, req, func(llm.Delta) {})
	got := answer{usage: res.Usage}
	if err != nil {
		return got, err
	}
	for _, c := range res.Calls {
		got.judge(Native, c.Name, c.Args)
	}
	p := NewParser(NewTools(defs), func(e Event) {
		if e.Call != nil {
			got.judge(e.Call.Form, e.Call.Name, e.Call.Args)
		}
	})
	p.Write(res.Text)
	p.Close(res.Stop != llm.StopLength)
	return got, nil
}

// record takes the first call that came.
func (a *answer) judge(kind Kind, name string, args json.RawMessage) {
	if a.sure > 0 || name != ProbeTool {
		return
	}
	a.kind, a.sure = kind, 0.7
	var said struct {
		Word string `json:"word"`
	}
	if json.Unmarshal(args, &said) == nil && said.Word == probeWord {
		a.sure = 0.95
	}
}
