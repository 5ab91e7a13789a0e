/** The services over the network that models come from, by the names of their settings. */
export const SERVICES = ['openai', 'anthropic', 'gemini', 'openrouter'] as const;
export type Service = (typeof SERVICES)[number];
