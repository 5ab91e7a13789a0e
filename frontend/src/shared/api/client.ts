import createClient, { type Client as OpenAPIClient, type Middleware } from 'openapi-fetch';
import { t } from '../i18n';
import { assistantIsActing, trackRequest } from './assistantaction';
import { PATHS } from './navigation';
import type { paths } from './schema.gen';

/** A failed request. `status` is the HTTP status, 0 if the program did not answer. */
export class BackendError extends Error {
  constructor(
    readonly status: number,
    readonly title: string,
    readonly detail: string,
  ) {
    super(detail ? `${title}: ${detail}` : title);
    this.name = 'BackendError';
  }
}

export type Client = OpenAPIClient<paths>;

/**
 * Paths of the requests that an action of the assistant on this window's page may send, besides GET requests. Except
 * for opening a panel, the program treats them as requests of the panel or the MCP server, never of the person.
 */
const ALLOWED_WHILE_ACTING: ReadonlySet<string> = new Set<keyof paths>([
  '/api/panels/{id}/call',
  '/api/panels/{id}/model-context',
  '/api/mcp-servers/{name}/app/call',
  '/api/mcp-servers/{name}/app/read',
  '/api/mcp-servers/{name}/app/context',
  '/api/mcp-servers/{name}/app/log',
  PATHS.openPanel,
]);

/** Creates a typed client of the HTTP API. Its requests reject with a BackendError. */
export function createApiClient(token: string): Client {
  const middleware: Middleware = {
    onRequest({ request, schemaPath }) {
      if (assistantIsActing() && request.method !== 'GET' && !ALLOWED_WHILE_ACTING.has(schemaPath)) {
        throw new BackendError(403, t('surface.refused'), '');
      }
      request.headers.set('Authorization', `Bearer ${token}`);
    },
    async onResponse({ response }) {
      if (!response.ok) throw await errorOf(response);
    },
    onError: () => new BackendError(0, 'no answer', ''),
  };
  const client = createClient<paths>({ baseUrl: location.origin });
  client.use(middleware);
  return client;
}

/** Waits for a response and returns its body. */
export async function bodyOf<T>(request: Promise<{ data?: T }>): Promise<T> {
  return (await (assistantIsActing() ? trackRequest(request) : request)).data as T;
}

/** Waits for a successful response and ignores its body. */
export async function awaitSuccess(request: Promise<{ data?: unknown }>): Promise<void> {
  await bodyOf(request);
}

async function errorOf(response: Response): Promise<BackendError> {
  try {
    const problem = (await response.json()) as { title?: string; detail?: string };
    return new BackendError(response.status, problem.title ?? response.statusText, problem.detail ?? '');
  } catch {
    return new BackendError(response.status, response.statusText || String(response.status), '');
  }
}
