// Package providers opens models by name and lists those that can be chosen: of the configured services and of
// servers found on this machine. The models retry, resume answers that broke off, and fall back to another model.
//
// Each network service is dialed through its own egress guard; the local servers share one.
package providers

import (
	"cmp"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/llm/modelapi"
	"sextant/backend/sandbox/egress"
)

// Service is the configuration of a network service.
type Service struct {
	// BaseURL is the service's address; empty means the provider's default.
	BaseURL string
	Key     string
	// Format is the wire format; empty or Auto chooses it by provider and address.
	Format modelapi.Format
}

// Config lists the providers and sets how they are used.
type Config struct {
	// OpenAIBaseURL and OpenAIKey are used if Services has no "openai".
	OpenAIBaseURL string
	OpenAIKey     string
	// Services are the configured services by provider: openai (any compatible service), anthropic, gemini,
	// openrouter.
	Services map[string]Service
	// LocalPorts maps ollama, lmstudio, llamacpp and vllm to their ports on loopback; nil means the default
	// ports. A port of 0 or a missing name disables that provider.
	LocalPorts map[string]int
	// IdleTimeout is how long a stream may be silent; 0 means five minutes.
	IdleTimeout time.Duration
	// PauseLimit returns how long a network service may be silent in an answer that has begun; nil means as long as
	// IdleTimeout. Local servers may be slow, and some send a call only when it is complete.
	PauseLimit func() time.Duration
	// Fallback returns the name of the model that answers when the requested one cannot; nil or "" means none.
	Fallback func() string
	// RetryDelay is the first wait before a failed request is sent again; later waits are longer. 0 means half a
	// second.
	RetryDelay time.Duration
	// Egress creates an egress guard for each network service and one for the local servers. nil means guards without
	// exceptions.
	Egress func() *egress.Guard
	Log    *slog.Logger
}

// Registry opens models by name and lists those that can be chosen. Safe for concurrent use.
type Registry struct {
	ports      map[string]int
	idle       time.Duration
	pause      func() time.Duration
	retryDelay time.Duration
	fallback   func() string
	log        *slog.Logger
	egress     func() *egress.Guard
	local      *guardedClient
	breakers   breakers
	noImages   sync.Map
	reasoning  sync.Map
	windows    sync.Map

	mu       sync.Mutex
	services map[string]*service
	blocked  []string
}

type service struct {
	Service
	client *guardedClient
	listed remoteList
}

// New returns a Registry. It does not connect to anything yet.
func New(cfg Config) *Registry {
	if cfg.LocalPorts == nil {
		cfg.LocalPorts = map[string]int{
			llm.ProviderOllama:   11434,
			llm.ProviderLMStudio: 1234,
			llm.ProviderLlamaCPP: 8080,
			llm.ProviderVLLM:     8000,
		}
	}
	if cfg.IdleTimeout <= 0 {
		cfg.IdleTimeout = modelapi.DefaultIdleTimeout
	}
	if cfg.RetryDelay <= 0 {
		cfg.RetryDelay = defaultRetryDelay
	}
	if cfg.Fallback == nil {
		cfg.Fallback = func() string { return "" }
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Egress == nil {
		cfg.Egress = func() *egress.Guard { return egress.New(egress.Config{}) }
	}
	r := &Registry{
		ports: cfg.LocalPorts, idle: cfg.IdleTimeout, pause: cfg.PauseLimit, retryDelay: cfg.RetryDelay,
		fallback: cfg.Fallback, log: cfg.Log,
		egress:   cfg.Egress,
		services: map[string]*service{},
	}
	var here []string
	for _, port := range r.ports {
		if port != 0 {
			here = append(here, fmt.Sprintf("http://127.0.0.1:%d", port))
		}
	}
	r.local = newGuardedClient(r.egress(), nil, "", here...)
	for _, provider := range llm.RemoteProviders() {
		s, ok := cfg.Services[provider]
		if !ok && provider == llm.ProviderOpenAI {
			s = Service{BaseURL: cfg.OpenAIBaseURL, Key: cfg.OpenAIKey}
		}
		r.services[provider] = &service{Service: s, client: r.clientFor(provider, s.BaseURL)}
	}
	return r
}

func (r *Registry) clientFor(provider, base string) *guardedClient {
	var configured []string
	if base != "" {
		configured = []string{base} // the default address needs no exception
	}
	w := newGuardedClient(
		r.egress(),
		http.ProxyFromEnvironment,
		cmp.Or(base, modelapi.DefaultBaseURL(provider)),
		configured...)
	for _, addr := range r.blocked {
		w.guard.Block(addr)
	}
	return w
}

// Block closes addr ("127.0.0.1:4000"), one of our own listeners, to models, whatever is configured.
func (r *Registry) Block(addr string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.blocked = append(r.blocked, addr)
	r.local.guard.Block(addr)
	for _, s := range r.services {
		s.client.guard.Block(addr)
	}
}

// Configure changes the configuration of a provider's service and resets the circuit breakers. Models opened
// before keep the old address. An unknown provider is ignored.
func (r *Registry) Configure(provider string, to Service) {
	r.mu.Lock()
	defer r.mu.Unlock()
	old, ok := r.services[provider]
	if !ok || old.Service == to {
		return
	}
	r.services[provider] = &service{Service: to, client: r.clientFor(provider, to.BaseURL)}
	r.breakers.reset()
	r.windows.Clear()
	old.client.close()
}

// Close closes idle connections.
func (r *Registry) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.services {
		s.client.close()
	}
	r.local.close()
}

// Open returns the model called name, which is provider/name. It does not connect: if the provider is unreachable,
// the first Stream fails. The pilot is not one of its models.
func (r *Registry) Open(name string) (llm.Model, error) {
	m, err := r.client(name)
	if err != nil {
		return nil, err
	}
	return &retryingModel{registry: r, name: name, client: m}, nil
}

func (r *Registry) client(name string) (*modelapi.Client, error) {
	provider, model, ok := strings.Cut(name, "/")
	if !ok || model == "" {
		return nil, &llm.Error{
			Kind:       llm.KindNotSupported,
			Message:    fmt.Sprintf("%q is not a model's name", name),
			Suggestion: "Models are named provider/name, e.g. ollama/qwen3 or openai/gpt-5; pilot is the built-in one.",
		}
	}
	at, over, err := r.endpoint(provider)
	if err != nil {
		return nil, err
	}
	c := &modelapi.Client{Endpoint: at, Model: model, HTTP: over, IdleTimeout: r.idle}
	if r.pause != nil && !at.Local {
		c.PauseLimit = r.pause()
	}
	return c, nil
}

func (r *Registry) endpoint(provider string) (modelapi.Endpoint, *http.Client, error) {
	switch {
	case slices.Contains(llm.RemoteProviders(), provider):
		return r.configured(provider)
	case slices.Contains(llm.LocalProviders(), provider):
		port := r.ports[provider]
		if port == 0 {
			return modelapi.Endpoint{}, nil, &llm.Error{
				Kind:       llm.KindUnreachable,
				Message:    llm.ProviderLabel(provider) + " is switched off in the settings",
				Suggestion: "Use openai/… with SEXTANT_OPENAI_BASE_URL for a server at another address.",
			}
		}
		return modelapi.Endpoint{
			Provider: provider,
			Label:    llm.ProviderLabel(provider),
			BaseURL:  fmt.Sprintf("http://127.0.0.1:%d/v1", port),
			Format:   modelapi.FormatChat,
			Local:    true,
		}, r.local.client, nil
	}
	return modelapi.Endpoint{}, nil, &llm.Error{
		Kind:    llm.KindNotSupported,
		Message: fmt.Sprintf("There is no provider %q", provider),
		Suggestion: "Providers are " +
			strings.Join(append(llm.RemoteProviders(), llm.LocalProviders()...), ", ") + "; pilot needs none.",
	}
}

func (r *Registry) configured(provider string) (modelapi.Endpoint, *http.Client, error) {
	r.mu.Lock()
	s := *r.services[provider]
	r.mu.Unlock()
	return s.endpoint(provider)
}

func (s *service) endpoint(provider string) (modelapi.Endpoint, *http.Client, error) {
	if s.BaseURL == "" && s.Key == "" {
		e := &llm.Error{
			Kind:       llm.KindUnauthorized,
			Message:    "No key for " + llm.ProviderLabel(provider) + " is set",
			Suggestion: "Set " + modelapi.EnvVar(provider, "API_KEY") + ".",
		}
		if provider == llm.ProviderOpenAI {
			e.Suggestion = "Set SEXTANT_OPENAI_API_KEY, or SEXTANT_OPENAI_BASE_URL for another compatible service."
		}
		return modelapi.Endpoint{}, nil, e
	}
	at := modelapi.Endpoint{
		Provider: provider,
		Label:    llm.ProviderLabel(provider),
		BaseURL:  modelapi.DefaultBaseURL(provider),
		Key:      s.Key,
		Format:   s.Format,
	}
	if s.BaseURL != "" {
		if provider == llm.ProviderOpenAI {
			at.Label = "The service"
		}
		base, err := modelapi.CheckBaseURL(provider, s.BaseURL)
		if err != nil {
			return modelapi.Endpoint{}, nil, err
		}
		at.BaseURL = base
	}
	if at.Format == "" || at.Format == modelapi.FormatAuto {
		at.Format = modelapi.DetectFormat(provider, at.BaseURL)
	}
	if at.Format == modelapi.FormatAnthropic && !strings.HasSuffix(at.BaseURL, "/v1") {
		at.BaseURL += "/v1" // people know this service's address without the version
	}
	return at, s.client.client, nil
}
