package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	// windowWithin is how long a turn waits for what a service says of a model.
	windowWithin = 2 * time.Second
	// windowKept is how long an answer holds: a server on this machine is started anew with another.
	windowKept = 10 * time.Minute
	// windowAgain is when a service is asked again that failed, or had not loaded the model.
	windowAgain = time.Minute
	// leastWindow and mostWindow bound what a service may say, in tokens. What is larger is one that
	// means no limit, or a lie, and tells nothing.
	leastWindow = 1_000
	mostWindow  = 20_000_000
	// maxWindowBody is how much of an answer is read; OpenRouter's list has some hundred models.
	maxWindowBody = 8 << 20
)

// Sized is what a Model may also tell: how many tokens it reads at once by what its service says, 0
// when that says nothing. With loaded false it is what the model could read, and the service may have
// loaded it for less. It waits two seconds at most, and remembers.
type Sized interface {
	Window(ctx context.Context) (tokens int, loaded bool)
}

// size is what a service said of a model's window.
type size struct {
	tokens int
	loaded bool
	until  time.Time
}

// Window implements Sized.
func (s *steady) Window(ctx context.Context) (tokens int, loaded bool) {
	m := s.first
	key := m.at.base + " " + m.name
	if kept, ok := s.registry.windows.Load(key); ok && time.Now().Before(kept.(size).until) {
		return kept.(size).tokens, kept.(size).loaded
	}
	within, cancel := context.WithTimeout(ctx, windowWithin)
	defer cancel()
	said, err := m.window(within)
	if ctx.Err() != nil {
		return 0, false // who asked went away, which tells nothing of the service
	}
	kept := windowKept
	if err != nil {
		s.registry.log.Info("model's window not told", "model", s.name, "error", err)
	}
	if err != nil || said.tokens > 0 && !said.loaded {
		kept = windowAgain
	}
	said.until = time.Now().Add(kept)
	s.registry.windows.Store(key, said)
	return said.tokens, said.loaded
}

// window asks the service in its own way; nothing is an answer too.
func (m *client) window(ctx context.Context) (size, error) {
	root := strings.TrimSuffix(m.at.base, "/v1")
	switch {
	case m.at.provider == providerOllama:
		return m.ollamaWindow(ctx, root)
	case m.at.provider == providerLMStudio:
		return m.listedWindow(ctx, root+"/api/v0/models")
	case m.at.provider == providerLlamaCPP:
		var props struct {
			Settings struct {
				Reads count `json:"n_ctx"`
			} `json:"default_generation_settings"`
		}
		err := m.fact(ctx, root+"/props", nil, &props)
		return size{tokens: int(props.Settings.Reads), loaded: true}, err
	case m.at.format == Anthropic:
		var said windowFact
		err := m.fact(ctx, m.at.base+"/models/"+url.PathEscape(m.name), nil, &said)
		return said.size(), err
	case m.at.provider == providerGemini && strings.HasSuffix(m.at.base, "/openai"):
		// The compatible list says nothing of it, the service's own does.
		var said windowFact
		err := m.fact(ctx, strings.TrimSuffix(m.at.base, "/openai")+"/models/"+url.PathEscape(m.name), nil, &said)
		return said.size(), err
	case m.at.base == openAIBase:
		return size{}, nil // its list says nothing of it
	}
	return m.listedWindow(ctx, m.at.base+"/models")
}

// windowFact is what services say of a model, each under its own name.
type windowFact struct {
	ID string `json:"id"`
	// Loaded and Could are LM Studio's: of a model that is loaded, and of any.
	Loaded count `json:"loaded_context_length"`
	Could  count `json:"max_context_length"`
	// VLLM, OpenRouter, Groq, Anthropic and Gemini.
	VLLM       count `json:"max_model_len"`
	OpenRouter count `json:"context_length"`
	Groq       count `json:"context_window"`
	Anthropic  count `json:"max_input_tokens"`
	Gemini     count `json:"inputTokenLimit"`
}

func (f windowFact) size() size {
	for _, n := range []count{f.Loaded, f.VLLM, f.OpenRouter, f.Groq, f.Anthropic, f.Gemini} {
		if n > 0 {
			return size{tokens: int(n), loaded: true}
		}
	}
	return size{tokens: int(f.Could)}
}

// listedWindow finds the model in a list.
func (m *client) listedWindow(ctx context.Context, address string) (size, error) {
	var list struct {
		Data []windowFact `json:"data"`
	}
	err := m.fact(ctx, address, nil, &list)
	for _, f := range list.Data {
		if f.ID == m.name {
			return f.size(), err
		}
	}
	return size{}, err
}

// ollamaWindow is for how many tokens Ollama loaded the model, or will by the model's own parameters;
// without either the server decides when it loads it, for no more than the model could read. What does
// not fit there it leaves out without a word.
func (m *client) ollamaWindow(ctx context.Context, root string) (size, error) {
	var ps struct {
		Models []struct {
			Name  string `json:"name"`
			Reads count  `json:"context_length"`
		} `json:"models"`
	}
	// A server that does not know this question may know the next.
	if m.fact(ctx, root+"/api/ps", nil, &ps) == nil {
		for _, run := range ps.Models {
			if run.Reads > 0 && (run.Name == m.name || run.Name == m.name+":latest") {
				return size{tokens: int(run.Reads), loaded: true}, nil
			}
		}
	}
	var show struct {
		Parameters string                     `json:"parameters"`
		Info       map[string]json.RawMessage `json:"model_info"`
		// RemoteHost is where a model runs that only has its name here; that one is never loaded.
		RemoteHost string `json:"remote_host"`
	}
	if err := m.fact(ctx, root+"/api/show", map[string]string{"model": m.name}, &show); err != nil {
		return size{}, err
	}
	for line := range strings.Lines(show.Parameters) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "num_ctx" {
			return size{tokens: int(counted(f[1])), loaded: true}, nil
		}
	}
	var arch string
	_ = json.Unmarshal(show.Info["general.architecture"], &arch)
	return size{tokens: int(counted(string(show.Info[arch+".context_length"]))), loaded: show.RemoteHost != ""}, nil
}

// fact reads one JSON answer into v: that to a GET, or with a body that to a POST.
func (m *client) fact(ctx context.Context, address string, body, v any) error {
	method, sent := http.MethodGet, io.Reader(http.NoBody)
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("asking for a model's window: %w", err)
		}
		method, sent = http.MethodPost, bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, address, sent)
	if err != nil {
		return fmt.Errorf("asking for a model's window: %w", err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	m.at.format.authorise(req, m.at.key)
	if m.at.provider == providerGemini && m.at.key != "" {
		req.Header.Del("Authorization") // takes no key there, but a person's account
		req.Header.Set("X-Goog-Api-Key", m.at.key)
	}
	res, err := m.http.Do(req)
	if err != nil {
		return fmt.Errorf("asking for a model's window: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("asking for a model's window: %w", statusError(res.StatusCode))
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, maxWindowBody)).Decode(v); err != nil {
		return fmt.Errorf("reading a model's window: %w", err)
	}
	return nil
}

// count is a number of tokens within bounds; whatever else stands in its place is 0, so that one odd
// entry does not spoil a list.
type count int

// UnmarshalJSON implements json.Unmarshaler.
func (c *count) UnmarshalJSON(raw []byte) error {
	*c = counted(string(raw))
	return nil
}

func counted(s string) count {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(n) || n <= 0 || n > mostWindow {
		return 0
	}
	return count(max(n, leastWindow))
}
