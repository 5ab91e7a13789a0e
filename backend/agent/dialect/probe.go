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

// Memory keeps small values between sessions.
type Memory interface {
	Setting(ctx context.Context, key string) (value string, ok bool, err error)
	SetSetting(ctx context.Context, key, value string) error
}

// ProbeConfig is what a Prober stands on; only Memory must be there.
type ProbeConfig struct {
	Memory Memory
	// Overrides are what a person decided, provider/model=kind; they win.
	Overrides func() []string
	Now       func() time.Time
	Log       *slog.Logger
}

// Prober finds out how models write calls, once for each. Safe for concurrent use.
type Prober struct {
	cfg ProbeConfig
	one chan struct{}
}

// Verdict is how a model writes calls and how that is known.
type Verdict struct {
	Kind Kind `json:"kind"`
	// Sure is from 0 to 1. Below 0.5 nothing was recognised, and it is asked again after a day.
	Sure float64 `json:"sure"`
	// By is probe, person or known.
	By string `json:"by"`
	// Place is where the model was reached; another place is another model.
	Place string `json:"place,omitempty"`
	// Requests is what the probe cost.
	Requests int       `json:"requests,omitempty"`
	Time     time.Time `json:"time"`
}

const (
	// ProbeTool is the tool of the question; it does not exist anywhere else.
	ProbeTool = "say_word"
	probeWord = "saffron"
	// probeTokens leaves room for a model that thinks first.
	probeTokens = 1024
	// MaxProbes is how many requests a probe costs at most.
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

// CheckOverride says what is wrong with provider/model=kind.
func CheckOverride(s string) error {
	name, kind, ok := cutLast(s)
	if !ok || !strings.Contains(name, "/") || !Kind(kind).Valid() {
		return fmt.Errorf("%q is not provider/model=dialect; dialects are native, tool_call, hermes and fenced, e.g. ollama/qwen3=hermes", s)
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

// Dialect is how the model called name writes calls. The first time it asks the model, native
// first, MaxProbes requests at most; usage is what that cost. An error is one of the model's: it
// could not be asked, and nothing is remembered.
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
	// One probe at a time: two conversations that begin together ask once.
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

// remembered is an earlier verdict that still holds.
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

// probe asks for one call in each dialect until one comes.
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

// refused reports whether a model took the request for a wrong one, as servers do whose model
// knows no tools; everything else would be said to the next request as well.
func refused(err error) bool {
	var e *llm.Error
	return errors.As(err, &e) && e.Kind == llm.Failed
}

// answer is what one question of a probe brought.
type answer struct {
	kind  Kind
	sure  float64
	usage chat.Usage
}

// ask asks for the call in one dialect. A model may answer in another one, which counts as well:
// it is the one it was trained on.
func ask(ctx context.Context, m llm.Model, kind Kind) (answer, error) {
	defs := []toolspec.Definition{{
		Name: ProbeTool, Description: "Says one word to the person.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"word":{"type":"string"}},"required":["word"]}`),
	}}
	req := llm.Request{
		System: Section(kind, defs), MaxTokens: probeTokens, Alone: true, Written: true,
		Messages: []chat.Message{{Role: chat.RoleUser, Text: "Call the tool " + ProbeTool + " with the word " + probeWord + ". Do nothing else."}},
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

// judge takes the first call that came.
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
