import type { components } from './schema.gen';
import type { Ask } from './desk';
import type { Result } from './types';

/** The page of an MCP server that shows a call. */
export type ServerApp = components['schemas']['App'];

/** What a page tells the model: the params of ui/update-model-context. */
export interface ToldModel {
  content?: unknown;
  structuredContent?: unknown;
}

/** An address that the page of a server or a panel asks to open, and the person agreed to. */
export type PageLink = { url: string } & ({ server: string } | { panel: string });

/** What the window asks on behalf of pages of MCP servers, and what the person says of them. */
export interface AppDesk {
  /** The page that shows calls of a tool, read anew. */
  page(server: string, tool: string): Promise<ServerApp>;
  /** Lets the pages of a server reach origins from now on, each for one use: "connect https://a.example". */
  allow(server: string, origins: string[]): Promise<void>;
  /** What they may reach so. */
  reach(server: string): Promise<string[]>;
  revoke(server: string, use: string): Promise<void>;
  /** Calls a tool as the server's page; the answer is the server's. */
  call(server: string, tool: string, args: unknown, conversation: string): Promise<object>;
  read(server: string, uri: string): Promise<object>;
  /** Tells the model something with its next turn in a conversation, as outside text. */
  tell(server: string, conversation: string, told: ToldModel): Promise<void>;
  tellAsPanel(panel: string, told: ToldModel): Promise<void>;
  log(server: string, line: string): Promise<void>;
  /** Opens the person's own program for mail. */
  mail(address: string): Promise<void>;
  /** Opens an address in the browser, as the words of who asks: a private host stays closed. */
  open(link: PageLink): Promise<Result>;
}

/** That of the program on this machine. With `relay` a page speaks, with `ask` the person. */
export function loopbackApps(ask: Ask, relay: Ask): AppDesk {
  const at = (server: string) => `/api/mcp-servers/${encodeURIComponent(server)}/app`;
  const answer = async (server: string, what: string, body: unknown) =>
    ((await (await relay('POST', `${at(server)}/${what}`, body)).json()) as { answer: object }).answer;
  const words = ({ content, structuredContent }: ToldModel) => ({ content, structured: structuredContent });
  return {
    page: async (server, tool) =>
      (await (await ask('GET', `${at(server)}?tool=${encodeURIComponent(tool)}`)).json()) as ServerApp,
    allow: async (server, origins) => void (await ask('PUT', `${at(server)}/domains`, { origins })),
    reach: async (server) =>
      ((await (await ask('GET', `${at(server)}/domains`)).json()) as { origins: string[] }).origins,
    revoke: async (server, use) =>
      void (await ask('DELETE', `${at(server)}/domains?origin=${encodeURIComponent(use)}`)),
    call: (server, tool, args, conversation) => answer(server, 'call', { tool, args, conversation }),
    read: (server, uri) => answer(server, 'read', { uri }),
    tell: async (server, conversation, told) =>
      void (await relay('PUT', `${at(server)}/context`, { conversation, ...words(told) })),
    tellAsPanel: async (panel, told) =>
      void (await relay('PUT', `/api/panels/${encodeURIComponent(panel)}/model-context`, words(told))),
    log: async (server, line) => void (await relay('POST', `${at(server)}/log`, { line })),
    open: async (link) => (await (await ask('POST', '/api/links', link)).json()) as Result,
    mail: async (address) => void (await ask('POST', '/api/mail', { address })),
  };
}
