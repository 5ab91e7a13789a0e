package llm

import (
	"fmt"
	"net/url"
	"strings"
)

// Providers by the first part of a model's name.
const (
	providerOpenAI     = "openai"
	providerAnthropic  = "anthropic"
	providerGemini     = "gemini"
	providerOpenRouter = "openrouter"
	providerOllama     = "ollama"
	providerLMStudio   = "lmstudio"
	providerLlamaCPP   = "llamacpp"
	providerVLLM       = "vllm"
)

// openAIBase is where openai/… goes when no other address is configured.
const openAIBase = "https://api.openai.com/v1"

// remotes are the services that are asked over the network, in the order of lists.
func remotes() []string {
	return []string{providerOpenAI, providerAnthropic, providerGemini, providerOpenRouter}
}

// locals are the servers that are looked for on this machine, in the order of lists.
func locals() []string {
	return []string{providerOllama, providerLMStudio, providerLlamaCPP, providerVLLM}
}

// HowToConnect tells a person in one or two sentences how a model comes to answer.
func HowToConnect() string {
	names := func(providers []string, joint string) string {
		labels := make([]string, len(providers))
		for i, p := range providers {
			labels[i] = listLabel(p)
		}
		last := len(labels) - 1
		return strings.Join(labels[:last], ", ") + joint + labels[last]
	}
	return names(locals(), " and ") + " on this machine are found by themselves; a service (" + names(remotes(), " or ") + ") is added on Home."
}

// usualBase is a service's own address; "" for a server on this machine.
func usualBase(provider string) string {
	switch provider {
	case providerOpenAI:
		return openAIBase
	case providerAnthropic:
		return "https://api.anthropic.com/v1"
	case providerGemini:
		return "https://generativelanguage.googleapis.com/v1beta/openai"
	case providerOpenRouter:
		return "https://openrouter.ai/api/v1"
	}
	return ""
}

func labelOf(provider string) string {
	switch provider {
	case providerAnthropic:
		return "Anthropic"
	case providerGemini:
		return "Gemini"
	case providerOpenRouter:
		return "OpenRouter"
	case providerOllama:
		return "Ollama"
	case providerLMStudio:
		return "LM Studio"
	case providerLlamaCPP:
		return "llama.cpp"
	case providerVLLM:
		return "vLLM"
	}
	return "OpenAI"
}

// formatOf is the format that is spoken at base when nobody says which.
func formatOf(provider, base string) Format {
	u, err := url.Parse(base)
	switch {
	case provider == providerAnthropic:
		return Anthropic
	case err != nil || provider != providerOpenAI:
		return Chat
	case u.Hostname() == "api.openai.com":
		return Responses
	case u.Hostname() == "api.anthropic.com" || strings.HasSuffix(strings.TrimSuffix(u.Path, "/v1"), "/anthropic"):
		return Anthropic
	}
	return Chat
}

// endpoint is where a provider is reached. base has no trailing slash.
type endpoint struct {
	provider string
	label    string
	base     string
	key      string
	format   Format
	local    bool
	// way is how a configured address is reached; nil for a local one.
	way *way
}

// variable is the name of an environment variable of the provider's settings.
func variable(provider, setting string) string {
	return "SEXTANT_" + strings.ToUpper(provider) + "_" + setting
}

func (e endpoint) keyHint() string {
	if e.local {
		return "The server on this machine asks for a key. Set it as SEXTANT_OPENAI_API_KEY and use openai/… with SEXTANT_OPENAI_BASE_URL=" + e.base + "."
	}
	return "Set " + variable(e.provider, "API_KEY") + ", or the key in settings, to one that may use this model."
}

func (e endpoint) modelHint(model string) string {
	switch e.provider {
	case providerOllama:
		return fmt.Sprintf("Run \"ollama pull %s\", or choose a model that is there.", model)
	case providerLMStudio:
		return "Download the model in LM Studio, or choose one that is there."
	case providerVLLM:
		return "vLLM serves the one model it was started with. Choose that one."
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
	case providerVLLM:
		return "Start \"vllm serve MODEL --enable-auto-tool-choice\", then send again. The conversation is kept."
	}
	return "Check the network and " + variable(e.provider, "BASE_URL") + ", then send again. The conversation is kept."
}

// checkBase refuses addresses that are not plain http or https ones.
func checkBase(provider, base string) (string, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", &Error{
			Kind:       NotSupported,
			Message:    "The base address for " + provider + "/… is not an http or https address",
			Suggestion: "Set " + variable(provider, "BASE_URL") + " to an address such as http://127.0.0.1:8000/v1.",
		}
	}
	return strings.TrimRight(base, "/"), nil
}
