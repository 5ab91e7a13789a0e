package llm

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Config says which providers there are.
type Config struct {
	// OpenAIBaseURL and OpenAIKey are of any OpenAI-compatible service; an empty address
	// means OpenAI's own.
	OpenAIBaseURL string
	OpenAIKey     string
	// Detect maps ollama, lmstudio and llamacpp to their ports on loopback; nil means the
	// usual ones, a port of 0 or a missing name switches that provider off.
	Detect map[string]int
	// Idle is how long a stream may be silent; 0 means five minutes.
	Idle time.Duration
	Log  *slog.Logger
}

// Registry opens models by name and lists those that can be chosen. Safe for concurrent use.
type Registry struct {
	ports  map[string]int
	idle   time.Duration
	log    *slog.Logger
	remote *http.Client
	local  *http.Client

	mu     sync.Mutex
	base   string
	key    string
	listed remoteList
}

// New makes a Registry; it reaches nothing until asked.
func New(cfg Config) *Registry {
	if cfg.Detect == nil {
		cfg.Detect = map[string]int{providerOllama: 11434, providerLMStudio: 1234, providerLlamaCPP: 8080}
	}
	if cfg.Idle <= 0 {
		cfg.Idle = defaultIdle
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Registry{
		ports:  cfg.Detect,
		idle:   cfg.Idle,
		log:    cfg.Log,
		remote: client(http.ProxyFromEnvironment),
		local:  client(nil),
		base:   cfg.OpenAIBaseURL,
		key:    cfg.OpenAIKey,
	}
}

// client follows no redirect: a key goes to the configured address and nowhere else.
func client(proxy func(*http.Request) (*url.URL, error)) *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			Proxy:               proxy,
			ForceAttemptHTTP2:   true,
			TLSHandshakeTimeout: 10 * time.Second,
			IdleConnTimeout:     30 * time.Second,
			MaxIdleConnsPerHost: 2,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Configure changes address and key of the OpenAI-compatible service; models opened
// before keep theirs.
func (r *Registry) Configure(baseURL, key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.base, r.key, r.listed = baseURL, key, remoteList{}
}

// Close ends idle connections.
func (r *Registry) Close() {
	r.remote.CloseIdleConnections()
	r.local.CloseIdleConnections()
}

// Open gives the model called name, provider/name. It reaches nothing; that the provider
// is there shows in the first Stream. The pilot is not opened here.
func (r *Registry) Open(name string) (Model, error) {
	provider, model, ok := strings.Cut(name, "/")
	if !ok || model == "" {
		return nil, &Error{
			Kind:       NotSupported,
			Message:    fmt.Sprintf("%q is not a model's name", name),
			Suggestion: "Models are named provider/name, e.g. ollama/qwen3 or openai/gpt-5; pilot is the built-in one.",
		}
	}
	at, err := r.endpoint(provider)
	if err != nil {
		return nil, err
	}
	m := &openAI{at: at, name: model, http: r.remote, idle: r.idle}
	if at.local {
		m.http = r.local
	}
	return m, nil
}

func (r *Registry) endpoint(provider string) (endpoint, error) {
	switch provider {
	case providerOpenAI:
		return r.configured()
	case providerOllama, providerLMStudio, providerLlamaCPP:
		port := r.ports[provider]
		if port == 0 {
			return endpoint{}, &Error{
				Kind:       Unreachable,
				Message:    labelOf(provider) + " is switched off here",
				Suggestion: "Use openai/… with SEXTANT_OPENAI_BASE_URL for a server at another address.",
			}
		}
		return endpoint{provider: provider, label: labelOf(provider), base: fmt.Sprintf("http://127.0.0.1:%d/v1", port), local: true}, nil
	case "anthropic", "gemini", "google":
		return endpoint{}, &Error{
			Kind:       NotSupported,
			Message:    fmt.Sprintf("This version has no provider %q of its own", provider),
			Suggestion: "Set SEXTANT_OPENAI_BASE_URL to an OpenAI-compatible address of that service and use openai/…, or choose a local model or pilot.",
		}
	}
	return endpoint{}, &Error{
		Kind:       NotSupported,
		Message:    fmt.Sprintf("There is no provider %q", provider),
		Suggestion: "Providers are openai, ollama, lmstudio and llamacpp; pilot needs none.",
	}
}

// configured is the OpenAI-compatible service, or why it cannot be used.
func (r *Registry) configured() (endpoint, error) {
	r.mu.Lock()
	base, key := r.base, r.key
	r.mu.Unlock()
	if base == "" && key == "" {
		return endpoint{}, &Error{
			Kind:       Unauthorised,
			Message:    "No key for OpenAI is set",
			Suggestion: "Set SEXTANT_OPENAI_API_KEY, or SEXTANT_OPENAI_BASE_URL for another compatible service.",
		}
	}
	label := "The service"
	if base == "" {
		base, label = openAIBase, "OpenAI"
	}
	base, err := checkBase(base)
	if err != nil {
		return endpoint{}, err
	}
	return endpoint{provider: providerOpenAI, label: label, base: base, key: key}, nil
}

func labelOf(provider string) string {
	switch provider {
	case providerOllama:
		return "Ollama"
	case providerLMStudio:
		return "LM Studio"
	case providerLlamaCPP:
		return "llama.cpp"
	}
	return "OpenAI"
}
