package llm

// Names of providers, which are the first part of a model's name.
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

// RemoteProviders returns the services that are reached over the network, in listing order.
func RemoteProviders() []string {
	return []string{ProviderOpenAI, ProviderAnthropic, ProviderGemini, ProviderOpenRouter}
}

// LocalProviders returns the servers that are looked for on this machine, in listing order.
func LocalProviders() []string {
	return []string{ProviderOllama, ProviderLMStudio, ProviderLlamaCPP, ProviderVLLM}
}

// ProviderLabel returns the display name of a provider, "OpenAI" for an unknown one.
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

// GenericProviderLabel returns the display name of a service before its models are known: the OpenAI provider may
// be any compatible service.
func GenericProviderLabel(provider string) string {
	if provider == ProviderOpenAI {
		return "OpenAI-compatible"
	}
	return ProviderLabel(provider)
}
