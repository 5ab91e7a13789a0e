package modelapi

import (
	"fmt"
	"net/url"
	"strings"

	"sextant/backend/agent/llm"
)

const openAIBase = "https://api.openai.com/v1"

// DefaultBaseURL returns the default address of a network service, "" for other providers.
func DefaultBaseURL(provider string) string {
	switch provider {
	case llm.ProviderOpenAI:
		return openAIBase
	case llm.ProviderAnthropic:
		return "https://api.anthropic.com/v1"
	case llm.ProviderGemini:
		return "https://generativelanguage.googleapis.com/v1beta/openai"
	case llm.ProviderOpenRouter:
		return "https://openrouter.ai/api/v1"
	}
	return ""
}

// DetectFormat returns the format of the service at base if none is configured.
func DetectFormat(provider, base string) Format {
	u, err := url.Parse(base)
	switch {
	case provider == llm.ProviderAnthropic:
		return FormatAnthropic
	case err != nil || provider != llm.ProviderOpenAI:
		return FormatChat
	case u.Hostname() == "api.openai.com":
		return FormatResponses
	case u.Hostname() == "api.anthropic.com" || strings.HasSuffix(strings.TrimSuffix(u.Path, "/v1"), "/anthropic"):
		return FormatAnthropic
	}
	return FormatChat
}

// Endpoint is the address of a provider, with its key and format. BaseURL has no trailing slash.
type Endpoint struct {
	Provider string
	Label    string
	BaseURL  string
	Key      string
	Format   Format
	Local    bool
}

// EnvVar returns the environment variable of a provider's setting, such as SEXTANT_OPENAI_BASE_URL.
func EnvVar(provider, setting string) string {
	return "SEXTANT_" + strings.ToUpper(provider) + "_" + setting
}

func (e Endpoint) keyHint() string {
	if e.Local {
		return "The server on this machine asks for a key. Set it as SEXTANT_OPENAI_API_KEY and use openai/… " +
			"with SEXTANT_OPENAI_BASE_URL=" + e.BaseURL + "."
	}
	return "Set " + EnvVar(e.Provider, "API_KEY") + ", or the key in settings, to one that may use this model."
}

func (e Endpoint) modelHint(model string) string {
	switch e.Provider {
	case llm.ProviderOllama:
		return fmt.Sprintf("Run \"ollama pull %s\", or choose a model that is there.", model)
	case llm.ProviderLMStudio:
		return "Download the model in LM Studio, or choose one that is there."
	case llm.ProviderVLLM:
		return "vLLM serves the one model it was started with. Choose that one."
	case llm.ProviderLlamaCPP:
		return "llama.cpp serves the one model it was started with. Choose that one."
	}
	return "Choose a model that the service lists."
}

func (e Endpoint) startHint() string {
	switch e.Provider {
	case llm.ProviderOllama:
		return "Start it with \"ollama serve\", then send again. The conversation is kept."
	case llm.ProviderLMStudio:
		return "Start the server in LM Studio (Developer, Start server), then send again. The conversation is kept."
	case llm.ProviderLlamaCPP:
		return "Start \"llama-server --jinja -m MODEL.gguf\", then send again. The conversation is kept."
	case llm.ProviderVLLM:
		return "Start \"vllm serve MODEL --enable-auto-tool-choice\", then send again. The conversation is kept."
	}
	return "Check the network and " + EnvVar(e.Provider, "BASE_URL") + ", then send again. The conversation is kept."
}

// CheckBaseURL returns base without trailing slashes, or an error if it is not an http or https URL or has a user
// name, query or fragment.
func CheckBaseURL(provider, base string) (string, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" ||
		u.Fragment != "" {
		return "", &llm.Error{
			Kind:       llm.KindNotSupported,
			Message:    "The base address for " + provider + "/… is not an http or https address",
			Suggestion: "Set " + EnvVar(provider, "BASE_URL") + " to an address such as http://127.0.0.1:8000/v1.",
		}
	}
	return strings.TrimRight(base, "/"), nil
}
