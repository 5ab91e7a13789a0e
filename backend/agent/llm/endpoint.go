package llm

import (
	"fmt"
	"net/url"
	"strings"
)

// Providers that speak the chat completions protocol.
const (
	providerOpenAI   = "openai"
	providerOllama   = "ollama"
	providerLMStudio = "lmstudio"
	providerLlamaCPP = "llamacpp"
)

// openAIBase is where openai/… goes when no other address is configured.
const openAIBase = "https://api.openai.com/v1"

// endpoint is where a provider is reached. base has no trailing slash.
type endpoint struct {
	provider string
	label    string
	base     string
	key      string
	local    bool
	// way is how a configured address is reached; nil for a local one.
	way *way
}

func (e endpoint) keyHint() string {
	if e.local {
		return "The server on this machine asks for a key. Set it as SEXTANT_OPENAI_API_KEY and use openai/… with SEXTANT_OPENAI_BASE_URL=" + e.base + "."
	}
	return "Set SEXTANT_OPENAI_API_KEY, or the key in settings, to one that may use this model."
}

func (e endpoint) modelHint(model string) string {
	switch e.provider {
	case providerOllama:
		return fmt.Sprintf("Run \"ollama pull %s\", or choose a model that is there.", model)
	case providerLMStudio:
		return "Download the model in LM Studio, or choose one that is there."
	case providerLlamaCPP:
		return "llama.cpp serves the one model it was started with. Choose that one."
	}
	return "Choose a model that the service lists."
}

func (e endpoint) startHint() string {
	switch e.provider {
	case providerOllama:
		return "Start it with \"ollama serve\", then send again. The conversation is kept."
	case providerLMStudio:
		return "Start the server in LM Studio (Developer, Start server), then send again. The conversation is kept."
	case providerLlamaCPP:
		return "Start \"llama-server --jinja -m MODEL.gguf\", then send again. The conversation is kept."
	}
	return "Check the network and SEXTANT_OPENAI_BASE_URL, then send again. The conversation is kept."
}

// checkBase refuses addresses that are not plain http or https ones.
func checkBase(base string) (string, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", &Error{
			Kind:       NotSupported,
			Message:    "The base address of the OpenAI-compatible service is not an http or https address",
			Suggestion: "Set SEXTANT_OPENAI_BASE_URL to an address such as http://127.0.0.1:8000/v1.",
		}
	}
	return strings.TrimRight(base, "/"), nil
}
