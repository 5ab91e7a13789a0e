import { bodyOf, awaitSuccess, type Client } from './client';
import type { ModelContext, PageLink } from './types';

export type ServerAppsApi = ReturnType<typeof createServerAppsApi>;

/** Creates the requests of the pages of MCP servers (MCP Apps) and panels, and of the person's decisions about them. */
export function createServerAppsApi(client: Client) {
  const at = (name: string) => ({ params: { path: { name } } });
  const wire = ({ content, structuredContent }: ModelContext) => ({ content, structured: structuredContent });
  return {
    /** Returns the page that shows the calls of a tool. */
    page: (server: string, tool: string) =>
      bodyOf(client.GET('/api/mcp-servers/{name}/app', { params: { path: { name: server }, query: { tool } } })),
    /** Lets the pages of a server reach origins, each with its use: "connect https://a.example". */
    allow: (server: string, origins: string[]) =>
      awaitSuccess(client.PUT('/api/mcp-servers/{name}/app/domains', { ...at(server), body: { origins } })),
    /** Returns the allowed origins with their uses. */
    allowedOrigins: async (server: string) =>
      (await bodyOf(client.GET('/api/mcp-servers/{name}/app/domains', at(server)))).origins,
    revoke: (server: string, origin: string) =>
      awaitSuccess(
        client.DELETE('/api/mcp-servers/{name}/app/domains', { params: { path: { name: server }, query: { origin } } }),
      ),
    /** Calls a tool as the server's page. Returns an MCP tool result, also when the call was refused. */
    call: async (server: string, tool: string, args: unknown, conversation: string) =>
      (
        await bodyOf(
          client.POST('/api/mcp-servers/{name}/app/call', { ...at(server), body: { tool, args, conversation } }),
        )
      ).answer as object,
    read: async (server: string, uri: string) =>
      (await bodyOf(client.POST('/api/mcp-servers/{name}/app/read', { ...at(server), body: { uri } })))
        .answer as object,
    /** Sets what the page gives the model in the next turn of a conversation. It counts as outside text. */
    updateModelContext: (server: string, conversation: string, context: ModelContext) =>
      awaitSuccess(
        client.PUT('/api/mcp-servers/{name}/app/context', { ...at(server), body: { conversation, ...wire(context) } }),
      ),
    updatePanelModelContext: (panel: string, context: ModelContext) =>
      awaitSuccess(
        client.PUT('/api/panels/{id}/model-context', { params: { path: { id: panel } }, body: wire(context) }),
      ),
    log: (server: string, line: string) =>
      awaitSuccess(client.POST('/api/mcp-servers/{name}/app/log', { ...at(server), body: { line } })),
    /** Opens an address in the browser at the request of a page. Addresses of private hosts are refused. */
    open: (link: PageLink) => bodyOf(client.POST('/api/links', { body: link })),
    /** Opens a mailto address in the person's mail program. */
    mail: (address: string) => awaitSuccess(client.POST('/api/mail', { body: { address } })),
  };
}
