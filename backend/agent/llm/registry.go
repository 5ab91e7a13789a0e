package llm

import (
	"cmp"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"sextant/backend/guard/egress"
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
	// Egress makes the guard that an address is dialled through, with nothing opened at it but what
	// stands for all; nil for one that knows no exceptions. Each configured address gets its own.
	Egress func() *egress.Guard
	Log    *slog.Logger
}

// Registry opens models by name and lists those that can be chosen. Safe for concurrent use.
type Registry struct {
	ports  map[string]int
	idle   time.Duration
	log    *slog.Logger
	egress func() *egress.Guard
	local  *way

	mu     sync.Mutex
	base   string
	remote *way
	never  []string
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
	if cfg.Egress == nil {
		cfg.Egress = func() *egress.Guard { return egress.New(egress.Config{}) }
	}
	r := &Registry{
		ports: cfg.Detect, idle: cfg.Idle, log: cfg.Log, egress: cfg.Egress, base: cfg.OpenAIBaseURL, key: cfg.OpenAIKey,
	}
	var here []string
	for _, port := range r.ports {
		if port != 0 {
			here = append(here, fmt.Sprintf("http://127.0.0.1:%d", port))
		}
	}
	r.local = newWay(r.egress(), nil, "", here...)
	r.remote = r.toBase()
	return r
}

// toBase is the way to the configured address.
func (r *Registry) toBase() *way {
	var configured []string
	if r.base != "" {
		configured = []string{r.base} // OpenAI's own needs nothing opened
	}
	w := newWay(r.egress(), http.ProxyFromEnvironment, cmp.Or(r.base, openAIBase), configured...)
	for _, addr := range r.never {
		w.guard.Never(addr)
	}
	return w
}

// Never closes addr ("127.0.0.1:4000", one of our own listeners) to models, whatever is configured.
func (r *Registry) Never(addr string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.never = append(r.never, addr)
	r.local.guard.Never(addr)
	r.remote.guard.Never(addr)
}

// Configure changes address and key of the OpenAI-compatible service; models opened
// before keep theirs.
func (r *Registry) Configure(baseURL, key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.base, r.key, r.listed = baseURL, key, remoteList{}
	r.remote.close()
	r.remote = r.toBase()
}

// Close ends idle connections.
func (r *Registry) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.remote.close()
	r.local.close()
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
	m := &openAI{at: at, name: model, http: r.local.client, idle: r.idle}
	if !at.local {
		m.http = at.way.client
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
	base, key, way := r.base, r.key, r.remote
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
	return endpoint{provider: providerOpenAI, label: label, base: base, key: key, way: way}, nil
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
