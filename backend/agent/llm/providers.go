package llm

import "strings"

// The providers: the first part of a model's name.
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

// RemoteProviders are the services reached over the network, in listing order.
func RemoteProviders() []string {
	return []string{ProviderOpenAI, ProviderAnthropic, ProviderGemini, ProviderOpenRouter}
}

// LocalProviders are the servers looked for on this machine, in listing order.
func LocalProviders() []string {
	return []string{ProviderOllama, ProviderLMStudio, ProviderLlamaCPP, ProviderVLLM}
}

// HowToConnect tells a person in one or two sentences how to connect a model.
func HowToConnect() string {
	names := func(providers []string, joint string) string {
		labels := make([]string, len(providers))
		for i, p := range providers {
			labels[i] = GenericProviderLabel(p)
		}
		last := len(labels) - 1
		return strings.Join(labels[:last], ", ") + joint + labels[last]
	}
	return names(LocalProviders(), " and ") + " on this machine are detected automatically; to use a service (" +
		names(RemoteProviders(), " or ") + "), connect it on Home."
}

// ProviderLabel is the name of a provider for people.
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

// GenericProviderLabel names a service before any of its models is known: with OpenAI's wire format it may be any
// compatible one.
func GenericProviderLabel(provider string) string {
	if provider == ProviderOpenAI {
		return "OpenAI-compatible"
	}
	return ProviderLabel(provider)
}
