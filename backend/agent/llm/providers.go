package llm

import "strings"

// Providers by the first part of a model's name.
const (
	ProviderOpenAI     = "openai"
	ProviderAnthropic  = "anthropic"
	ProviderGemini     = "gemini"
	ProviderOpenRouter = "openrouter"
	ProviderOllama     = "ollama"
	ProviderLMStudio   = "lmstudio"
	ProviderLlamaCPP   = "llamacpp"
	ProviderVLLM       = "vllm"
)

// remotes are the services that are asked over the network, in the order of lists.
func RemoteProviders() []string {
	return []string{ProviderOpenAI, ProviderAnthropic, ProviderGemini, ProviderOpenRouter}
}

// locals are the servers that are looked for on this machine, in the order of lists.
func LocalProviders() []string {
	return []string{ProviderOllama, ProviderLMStudio, ProviderLlamaCPP, ProviderVLLM}
}

// HowToConnect tells a person in one or two sentences how a model comes to answer.
func HowToConnect() string {
	names := func(providers []string, joint string) string {
		labels := make([]string, len(providers))
		for i, p := range providers {
			labels[i] = ServiceLabel(p)
		}
		last := len(labels) - 1
		return strings.Join(labels[:last], ", ") + joint + labels[last]
	}
	return names(LocalProviders(), " and ") + " on this machine are found by themselves; a service (" + names(RemoteProviders(), " or ") + ") is added on Home."
}

func ProviderLabel(provider string) string {
	switch provider {
	case ProviderAnthropic:
		return "Anthropic"
	case ProviderGemini:
		return "Gemini"
	case ProviderOpenRouter:
		return "OpenRouter"
	case ProviderOllama:
		return "Ollama"
	case ProviderLMStudio:
		return "LM Studio"
	case ProviderLlamaCPP:
		return "llama.cpp"
	case ProviderVLLM:
		return "vLLM"
	}
	return "OpenAI"
}

// listLabel names a service of which no model is known.
func ServiceLabel(provider string) string {
	if provider == ProviderOpenAI {
		return "OpenAI-compatible"
	}
	return ProviderLabel(provider)
}
