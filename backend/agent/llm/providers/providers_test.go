package providers_test

import (
	"testing"
	"time"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/llm/llmtest"
	"sextant/backend/agent/llm/modelapi"
	"sextant/backend/agent/llm/openaitest"
	"sextant/backend/agent/llm/providers"
)

func TestProviders(t *testing.T) {
	over := func(provider string, format modelapi.Format) llmtest.OpenFunc {
		return func(t *testing.T, s *openaitest.Server) llm.Model {
			return opened(t, provider, providers.Config{Services: map[string]providers.Service{
				provider: {BaseURL: s.URL(), Key: llmtest.Key, Format: format},
			}})
		}
	}
	here := func(provider string) llmtest.OpenFunc {
		return func(t *testing.T, s *openaitest.Server) llm.Model {
			return opened(t, provider, providers.Config{LocalPorts: map[string]int{provider: s.Port()}})
		}
	}
	for name, open := range map[string]llmtest.OpenFunc{
		"openai, chat":       over("openai", modelapi.FormatChat),
		"openai, responses":  over("openai", modelapi.FormatResponses),
		"openai, anthropic":  over("openai", modelapi.FormatAnthropic),
		"anthropic":          over("anthropic", ""),
		"gemini, compatible": over("gemini", modelapi.FormatAuto),
		"openrouter":         over("openrouter", ""),
		"ollama":             here("ollama"),
		"lmstudio":           here("lmstudio"),
		"llamacpp":           here("llamacpp"),
		"vllm":               here("vllm"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			llmtest.TestProvider(t, open)
		})
	}
}

func opened(t *testing.T, provider string, cfg providers.Config) llm.Model {
	t.Helper()
	cfg.RetryDelay = time.Nanosecond
	if cfg.LocalPorts == nil {
		cfg.LocalPorts = map[string]int{}
	}
	r := providers.New(cfg)
	t.Cleanup(r.Close)
	return open(t, r, provider+"/m")
}
