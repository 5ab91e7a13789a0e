import type { Ask } from './desk';
import type { components } from './schema.gen';

type S = components['schemas'];

export type ServerResource = S['Resource'];
export type ServerTemplate = S['Template'];
export type ServerPrompt = Omit<S['ServerPrompt'], 'arguments'> & { arguments: S['PromptArgument'][] };
export interface ServerOffers {
  resources: ServerResource[];
  templates: ServerTemplate[];
  prompts: ServerPrompt[];
  /** Whether arguments can be completed. */
  completes: boolean;
}
export type ResourcePart = S['Content'];
export interface ResourceText {
  contents: ResourcePart[];
  cut: boolean;
}
/** Text of a server that goes with a message. */
export type Attachment = S['Attachment'];
export interface PromptDraft {
  text: string;
  attached: Attachment[];
  left: string[];
}
/** An argument that is being written, and what the others are. */
export interface Written {
  prompt?: string;
  template?: string;
  argument: string;
  typed: string;
  others: Record<string, string>;
}

/** What MCP servers offer beside their tools. All of it is text from outside. */
export interface Shelf {
  offers(server: string): Promise<ServerOffers>;
  read(server: string, uri: string): Promise<ResourceText>;
  /** Asks to be told when a resource changes; false where the server cannot. */
  watch(server: string, uri: string, on: boolean): Promise<boolean>;
  fill(server: string, prompt: string, args: Record<string, string>): Promise<PromptDraft>;
  complete(server: string, written: Written): Promise<string[]>;
}

/** The shelf of the program on this machine. */
export function loopbackShelf(ask: Ask): Shelf {
  const json = async <T>(method: string, server: string, what: string, body?: unknown) =>
    (await (await ask(method, `/api/mcp-servers/${encodeURIComponent(server)}/${what}`, body)).json()) as T;
  return {
    offers: async (server) => {
      const found = await json<S['Offers']>('GET', server, 'offers');
      const prompts = (found.prompts ?? []).map((one) => ({ ...one, arguments: one.arguments ?? [] }));
      const { completes } = found;
      return { resources: found.resources ?? [], templates: found.templates ?? [], prompts, completes };
    },
    read: async (server, uri) => {
      const found = await json<S['Contents']>('POST', server, 'resource', { uri });
      return { contents: found.contents ?? [], cut: found.cut ?? false };
    },
    watch: async (server, uri, on) => (await json<S['MCPWatched']>('POST', server, 'watch', { uri, on })).watched,
    fill: async (server, prompt, args) => {
      const draft = await json<S['Draft']>('POST', server, 'prompt', { prompt, arguments: args });
      return { text: draft.text, attached: draft.attached ?? [], left: draft.left ?? [] };
    },
    complete: async (server, written) =>
      (await json<S['MCPCompletion']>('POST', server, 'complete', written)).values ?? [],
  };
}
