/** The model services, by the prefix of their settings. */
export const SERVICES = ['openai', 'anthropic', 'gemini', 'openrouter'] as const;
export type Service = (typeof SERVICES)[number];
