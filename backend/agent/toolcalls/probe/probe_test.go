package probe_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/llm/openaitest"
	"sextant/backend/agent/llm/providers"
	"sextant/backend/agent/toolcalls"
	"sextant/backend/agent/toolcalls/probe"
)

// memory keeps settings.
type memory struct {
	mu   sync.Mutex
	kept map[string]string
}

func (m *memory) Setting(_ context.Context, key string) (string, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.kept[key]
	return v, ok, nil
}

func (m *memory) SetSetting(_ context.Context, key, value string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kept == nil {
		m.kept = map[string]string{}
	}
	m.kept[key] = value
	return nil
}

// served is a model behind a real server that answers with turns, then repeats the last.
func served(t *testing.T, turns ...openaitest.Answer) (llm.Model, *openaitest.Server) {
	t.Helper()
	s, err := openaitest.Start(turns...)
	if err != nil {
		t.Fatal(err)
	}
	s.ScriptedProbes = true
	last := turns[len(turns)-1]
	s.Answer = func(openaitest.Request) openaitest.Answer { return last }
	models := providers.New(providers.Config{OpenAIBaseURL: s.URL(), LocalPorts: map[string]int{}})
	t.Cleanup(func() { models.Close(); s.Close() })
	m, err := models.Open("openai/m")
	if err != nil {
		t.Fatal(err)
	}
	return m, s
}

var (
	chatter = openaitest.Answer{Text: "Saffron! What else can I do?"}
	noTools = openaitest.Answer{Status: 400, Body: `{"error":{"message":"m does not support tools"}}`}
	inTags  = openaitest.Answer{Text: `<tool_call>{"name":"say_word","arguments":{"word":"saffron"}}</tool_call>`}
	inQwen  = openaitest.Answer{
		Text: "<tool_call>\n<function=say_word>\n<parameter=word>\nsaffron\n</parameter>\n</function>\n</tool_call>",
	}
	inFence  = openaitest.Answer{Text: "```tool\nreturn say_word({\"word\": \"saffron\"});\n```"}
	natively = openaitest.Answer{
		Calls: []openaitest.Call{{ID: "c", Name: "say_word", Args: `{"word":"saffron"}`}},
		Usage: openaitest.Usage{Input: 70, Output: 12},
	}
	wrong = openaitest.Answer{Calls: []openaitest.Call{{ID: "c", Name: "say_word", Args: `{"word":"pepper"}`}}}
)

func TestDetect(t *testing.T) {
	for name, c := range map[string]struct {
		turns    []openaitest.Answer
		kind     toolcalls.Format
		requests int
		sure     float64
	}{
		"native":                   {[]openaitest.Answer{natively}, toolcalls.FormatNative, 1, 0.95},
		"native, wrong word":       {[]openaitest.Answer{wrong}, toolcalls.FormatNative, 1, 0.7},
		"tags as plain text":       {[]openaitest.Answer{inTags}, toolcalls.FormatToolCall, 1, 0.95},
		"Qwen as plain text":       {[]openaitest.Answer{inQwen}, toolcalls.FormatHermes, 1, 0.95},
		"tags when instructed":     {[]openaitest.Answer{chatter, inTags}, toolcalls.FormatToolCall, 2, 0.95},
		"tools refused, then Qwen": {[]openaitest.Answer{noTools, inQwen}, toolcalls.FormatHermes, 2, 0.95},
		"tools refused, then fence": {
			[]openaitest.Answer{noTools, chatter, chatter, inFence},
			toolcalls.FormatFenced, 4,
			0.95,
		},
		"no call":                {[]openaitest.Answer{chatter}, toolcalls.FormatNative, 4, 0.1},
		"tools refused, no call": {[]openaitest.Answer{noTools, chatter}, toolcalls.FormatFenced, 4, 0.1},
	} {
		t.Run(name, func(t *testing.T) {
			m, s := served(t, c.turns...)
			v, _, err := probe.New(probe.Config{Settings: &memory{}}).Detect(context.Background(), "openai/m", m)
			if err != nil || v.Format != c.kind || v.Confidence != c.sure || v.Requests != c.requests ||
				len(s.Requests()) != c.requests ||
				v.Source != "probe" || v.FoundWeak != (c.sure < 0.5) {
				t.Errorf("%+v after %d requests, %v", v, len(s.Requests()), err)
			}
			if c.requests > probe.MaxRequests {
				t.Errorf("more than %d requests", probe.MaxRequests)
			}
		})
	}
}

func TestDetectionIsCachedPerModelAndEndpoint(t *testing.T) {
	m, s := served(t, natively)
	kept := &memory{}
	ctx := context.Background()
	_, usage, err := probe.New(probe.Config{Settings: kept}).Detect(ctx, "openai/m", m)
	if err != nil || usage.Input != 70 {
		t.Fatal(usage, err)
	}
	// Another session probes nothing; another model and another server do.
	next := probe.New(probe.Config{Settings: kept})
	if v, usage, err := next.Detect(ctx, "openai/m", m); err != nil || v.Format != toolcalls.FormatNative ||
		usage.Input != 0 ||
		len(s.Requests()) != 1 {
		t.Errorf("%+v, %d requests, %v", v, len(s.Requests()), err)
	}
	if _, _, err := next.Detect(ctx, "openai/other", m); err != nil || len(s.Requests()) != 2 {
		t.Errorf("another model: %d requests, %v", len(s.Requests()), err)
	}
	elsewhere, s2 := served(t, inTags)
	if v, _, err := next.Detect(ctx, "openai/m", elsewhere); err != nil || v.Format != toolcalls.FormatToolCall ||
		len(s2.Requests()) != 1 {
		t.Errorf("another server: %+v, %v", v, err)
	}
}

func TestUncertainDetectionExpires(t *testing.T) {
	m, s := served(t, chatter)
	now := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	p := probe.New(probe.Config{Settings: &memory{}, Now: func() time.Time { return now }})
	for _, step := range []struct {
		wait time.Duration
		want int
	}{{0, 4}, {23 * time.Hour, 4}, {2 * time.Hour, 8}} {
		now = now.Add(step.wait)
		if _, _, err := p.Detect(context.Background(), "openai/m", m); err != nil || len(s.Requests()) != step.want {
			t.Errorf("after %s: %d requests, %v", step.wait, len(s.Requests()), err)
		}
	}
}

func TestProbeMayBeRepeated(t *testing.T) {
	m, s := served(t, natively)
	p := probe.New(
		probe.Config{
			Settings:  &memory{},
			Overrides: func() []string { return []string{"ollama/x=fenced", "openai/m=hermes"} },
		},
	)
	v, _, err := p.Detect(context.Background(), "openai/m", m)
	if err != nil || v.Format != toolcalls.FormatHermes || v.Source != "person" || len(s.Requests()) > 0 {
		t.Errorf("%+v, %v", v, err)
	}
	for text, ok := range map[string]bool{
		"ollama/qwen3=hermes": true, "openai/a=b=native": true, "qwen3=hermes": false,
		"ollama/x=": false, "ollama/x": false, "ollama/x=xml": false,
	} {
		t.Run(text, func(t *testing.T) {
			if err := probe.CheckOverride(text); (err == nil) != ok {
				t.Errorf("%s: %v", text, err)
			}
		})
	}
}

// A local server may take a minute to load a model.
func TestSlowModelIsProbedAgainSoon(t *testing.T) {
	silent := natively
	silent.StallAfter = -1
	for name, c := range map[string]struct {
		turns []openaitest.Answer
		want  toolcalls.Format
	}{
		"at once":          {[]openaitest.Answer{silent}, toolcalls.FormatNative},
		"after it refused": {[]openaitest.Answer{noTools, silent}, toolcalls.FormatFenced},
		"after words":      {[]openaitest.Answer{chatter, silent}, toolcalls.FormatNative},
	} {
		t.Run(name, func(t *testing.T) {
			m, s := served(t, c.turns...)
			kept := &memory{}
			now := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
			p := probe.New(probe.Config{Settings: kept, TimeLimit: time.Second, Now: func() time.Time { return now }})
			detect := func(requests int) {
				t.Helper()
				v, _, err := p.Detect(context.Background(), "openai/m", m)
				if err != nil || v.Format != c.want || v.FoundWeak || len(s.Requests()) != requests {
					t.Errorf("%+v after %d requests, want %d, %v", v, len(s.Requests()), requests, err)
				}
			}
			detect(len(c.turns))
			detect(len(c.turns))
			now, c.want = now.Add(11*time.Minute), toolcalls.FormatNative // the first request is silent now
			detect(len(c.turns) + 1)
		})
	}
}

func TestUnreachableModelLeavesNoDetection(t *testing.T) {
	m, s := served(t, openaitest.Answer{Status: 401})
	kept := &memory{}
	_, _, err := probe.New(probe.Config{Settings: kept}).Detect(context.Background(), "openai/m", m)
	if llm.KindOf(err) != llm.KindUnauthorized || len(kept.kept) > 0 || len(s.Requests()) != 1 {
		t.Errorf("%v, kept %v, %d requests", err, kept.kept, len(s.Requests()))
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, _, err = probe.New(probe.Config{Settings: kept}).Detect(ctx, "openai/m", m)
	if !errors.Is(err, context.Canceled) || len(kept.kept) > 0 {
		t.Errorf("stopped: %v", err)
	}
}

func TestConcurrentDetectionsShareOneProbe(t *testing.T) {
	m, s := served(t, natively)
	p := probe.New(probe.Config{Settings: &memory{}})
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if v, _, err := p.Detect(context.Background(), "openai/m", m); err != nil ||
				v.Format != toolcalls.FormatNative {
				t.Errorf("%+v, %v", v, err)
			}
		})
	}
	wait.Wait()
	if n := len(s.Requests()); n != 1 {
		t.Errorf("%d requests", n)
	}
	if body := string(s.Requests()[0].Body); strings.Count(body, "say_word") < 2 {
		t.Errorf("the question is %s", body)
	}
}
