package modelapi

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

	"sextant/backend/agent/llm"
)

const (
	// minWindow and maxWindow limit the tokens that a service may report. A larger value means no limit or is an
	// error, and is ignored; a smaller one is raised.
	minWindow = 1_000
	maxWindow = 20_000_000
	// maxWindowBody limits how much of a response is read; OpenRouter's list has some hundred models.
	maxWindowBody = 8 << 20
)

// Window is a model's context window. Loaded says that Tokens applies to requests; otherwise the model supports it,
// but may be loaded with less.
type Window struct {
	Tokens int
	Loaded bool
}

// ContextWindow asks the service for the model's context window. The zero Window means that it reports none.
func (c *Client) ContextWindow(ctx context.Context) (Window, error) {
	root := strings.TrimSuffix(c.Endpoint.BaseURL, "/v1")
	switch {
	case c.Endpoint.Provider == llm.ProviderOllama:
		return c.ollamaWindow(ctx, root)
	case c.Endpoint.Provider == llm.ProviderLMStudio:
		return c.listedWindow(ctx, root+"/api/v0/models")
	case c.Endpoint.Provider == llm.ProviderLlamaCPP:
		var props struct {
			Settings struct {
				Reads tokenCount `json:"n_ctx"`
			} `json:"default_generation_settings"`
		}
		err := c.fetchJSON(ctx, root+"/props", nil, &props)
		return Window{Tokens: int(props.Settings.Reads), Loaded: true}, err
	case c.Endpoint.Format == FormatAnthropic:
		var info modelInfo
		err := c.fetchJSON(ctx, c.Endpoint.BaseURL+"/models/"+url.PathEscape(c.Model), nil, &info)
		return info.window(), err
	case c.Endpoint.Provider == llm.ProviderGemini && strings.HasSuffix(c.Endpoint.BaseURL, "/openai"):
		// Only the service's own route reports it, not the OpenAI-compatible list.
		var info modelInfo
		err := c.fetchJSON(
			ctx,
			strings.TrimSuffix(c.Endpoint.BaseURL, "/openai")+"/models/"+url.PathEscape(c.Model),
			nil,
			&info,
		)
		return info.window(), err
	case c.Endpoint.BaseURL == openAIBase:
		return Window{}, nil // the list does not report it
	}
	return c.listedWindow(ctx, c.Endpoint.BaseURL+"/models")
}

// modelInfo contains the sizes that services report for a model, each under its own name.
type modelInfo struct {
	ID string `json:"id"`
	// LM Studio reports the size of a loaded model and the most it supports.
	Loaded    tokenCount `json:"loaded_context_length"`
	MaxLoaded tokenCount `json:"max_context_length"`
	// These names are used by VLLM, OpenRouter, Groq, Anthropic and Gemini.
	VLLM       tokenCount `json:"max_model_len"`
	OpenRouter tokenCount `json:"context_length"`
	Groq       tokenCount `json:"context_window"`
	Anthropic  tokenCount `json:"max_input_tokens"`
	Gemini     tokenCount `json:"inputTokenLimit"`
}

func (m modelInfo) window() Window {
	for _, n := range []tokenCount{m.Loaded, m.VLLM, m.OpenRouter, m.Groq, m.Anthropic, m.Gemini} {
		if n > 0 {
			return Window{Tokens: int(n), Loaded: true}
		}
	}
	return Window{Tokens: int(m.MaxLoaded)}
}

func (c *Client) listedWindow(ctx context.Context, address string) (Window, error) {
	var list struct {
		Data []modelInfo `json:"data"`
	}
	err := c.fetchJSON(ctx, address, nil, &list)
	for _, f := range list.Data {
		if f.ID == c.Model {
			return f.window(), err
		}
	}
	return Window{}, err
}

// ollamaWindow returns the size with which Ollama loaded the model, or will load it by the model's parameters.
// Without either, the server decides on loading, up to what the model supports. Ollama silently truncates longer
// prompts.
func (c *Client) ollamaWindow(ctx context.Context, root string) (Window, error) {
	var ps struct {
		Models []struct {
			Name  string     `json:"name"`
			Reads tokenCount `json:"context_length"`
		} `json:"models"`
	}
	// A server without this route may have the next one.
	if c.fetchJSON(ctx, root+"/api/ps", nil, &ps) == nil {
		for _, run := range ps.Models {
			if run.Reads > 0 && (run.Name == c.Model || run.Name == c.Model+":latest") {
				return Window{Tokens: int(run.Reads), Loaded: true}, nil
			}
		}
	}
	var show struct {
		Parameters string                     `json:"parameters"`
		Info       map[string]json.RawMessage `json:"model_info"`
		// RemoteHost is set if the model runs elsewhere; then it is never loaded here.
		RemoteHost string `json:"remote_host"`
	}
	if err := c.fetchJSON(ctx, root+"/api/show", map[string]string{"model": c.Model}, &show); err != nil {
		return Window{}, err
	}
	for line := range strings.Lines(show.Parameters) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "num_ctx" {
			return Window{Tokens: int(parseCount(f[1])), Loaded: true}, nil
		}
	}
	var arch string
	_ = json.Unmarshal(show.Info["general.architecture"], &arch)
	return Window{
		Tokens: int(parseCount(string(show.Info[arch+".context_length"]))),
		Loaded: show.RemoteHost != "",
	}, nil
}

func (c *Client) fetchJSON(ctx context.Context, address string, body, v any) error {
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
	c.Endpoint.Format.authorize(req, c.Endpoint.Key)
	if c.Endpoint.Provider == llm.ProviderGemini && c.Endpoint.Key != "" {
		req.Header.Del("Authorization") // there it is for OAuth tokens, not for keys
		req.Header.Set("X-Goog-Api-Key", c.Endpoint.Key)
	}
	res, err := c.HTTP.Do(req)
	if err != nil {
		return fmt.Errorf("asking for a model's window: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("asking for a model's window: %w", StatusError(res.StatusCode))
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, maxWindowBody)).Decode(v); err != nil {
		return fmt.Errorf("reading a model's window: %w", err)
	}
	return nil
}

// tokenCount is a number of tokens. What is not a plausible number decodes as 0, so that one odd entry does not spoil
// a list, and a positive one below minWindow as minWindow.
type tokenCount int

// UnmarshalJSON implements json.Unmarshaler.
func (c *tokenCount) UnmarshalJSON(raw []byte) error {
	*c = parseCount(string(raw))
	return nil
}

func parseCount(s string) tokenCount {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(n) || n <= 0 || n > maxWindow {
		return 0
	}
	return tokenCount(max(n, minWindow))
}
