/** The model services, by the prefix of their settings. */
export const SERVICES = ['openai', 'anthropic', 'gemini', 'openrouter'] as const;
export type Service = (typeof SERVICES)[number];

/** The programs on this computer that offer models. */
export const LOCAL_PROVIDERS = ['ollama', 'lmstudio', 'llamacpp', 'vllm'];
