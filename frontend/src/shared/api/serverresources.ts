import { bodyOf, type Client } from './client';
import type { ArgumentQuery, PromptDraft, ResourceText, ServerOffers } from './types';

export type ServerResourcesApi = ReturnType<typeof createServerResourcesApi>;

/** Creates the requests for resources and prompts of MCP servers. All they return is outside text. */
export function createServerResourcesApi(client: Client) {
  const at = (name: string) => ({ params: { path: { name } } });
  return {
    offers: async (server: string): Promise<ServerOffers> => {
      const found = await bodyOf(client.GET('/api/mcp-servers/{name}/offers', at(server)));
      const prompts = (found.prompts ?? []).map((prompt) => ({ ...prompt, arguments: prompt.arguments ?? [] }));
      const { completes } = found;
      return { resources: found.resources ?? [], templates: found.templates ?? [], prompts, completes };
    },
    read: async (server: string, uri: string): Promise<ResourceText> => {
      const found = await bodyOf(client.POST('/api/mcp-servers/{name}/resource', { ...at(server), body: { uri } }));
      return { contents: found.contents ?? [], cut: found.cut ?? false };
    },
    /** Subscribes to changes of a resource, or unsubscribes. Returns whether there is a subscription now. */
    watch: async (server: string, uri: string, on: boolean) =>
      (await bodyOf(client.POST('/api/mcp-servers/{name}/watch', { ...at(server), body: { uri, on } }))).watched,
    /** Returns the text and attachments that a prompt generates from its arguments. */
    fill: async (server: string, prompt: string, args: Record<string, string>): Promise<PromptDraft> => {
      const body = { prompt, arguments: args };
      const draft = await bodyOf(client.POST('/api/mcp-servers/{name}/prompt', { ...at(server), body }));
      return { text: draft.text, attached: draft.attached ?? [], left: draft.left ?? [] };
    },
    complete: async (server: string, query: ArgumentQuery) =>
      (await bodyOf(client.POST('/api/mcp-servers/{name}/complete', { ...at(server), body: query }))).values ?? [],
  };
}
