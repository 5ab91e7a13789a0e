import { afterEach, expect, it, vi } from 'vitest';
import { actAsAssistant } from './assistantaction';
import { createBackend } from './backend';
import { BackendError } from './client';

const requests: Request[] = [];

/** Returns a backend whose requests all get this response. */
function backend(response: () => Response | Promise<Response>) {
  requests.length = 0;
  vi.stubGlobal('fetch', async (request: Request) => {
    requests.push(request);
    return response();
  });
  return createBackend('secret');
}
const json = (status: number, body: unknown) => () => new Response(JSON.stringify(body), { status });

afterEach(() => void vi.unstubAllGlobals());

it('sends the token and the body, and fills in paths', async () => {
  const setting = await backend(json(200, { key: 'a/b', value: 'x', source: 'window' })).setting('a/b', 'x');
  expect(setting.source).toBe('window');
  const request = requests[0]!;
  expect([request.method, new URL(request.url).pathname]).toEqual(['PUT', '/api/settings/a%2Fb']);
  expect(request.headers.get('Authorization')).toBe('Bearer secret');
  expect(await request.json()).toEqual({ value: 'x' });
});

it('turns problems into errors', async () => {
  const failing = backend(json(409, { title: 'Conflict', detail: 'It runs.' }));
  await expect(failing.state()).rejects.toEqual(new BackendError(409, 'Conflict', 'It runs.'));
  const offline = backend(() => Promise.reject(new TypeError('failed')));
  await expect(offline.state()).rejects.toMatchObject({ status: 0 });
});

it('refuses changes while the assistant acts on the page, except those that count as the panel’s', async () => {
  const program = backend(json(200, { success: true }));
  await expect(actAsAssistant(() => program.setting('mode', 'full'))).rejects.toMatchObject({ status: 403 });
  expect(requests).toHaveLength(0);
  await actAsAssistant(() => program.execute('notes_write', {}, 'notes'));
  await actAsAssistant(() => program.openPanel('notes'));
  await actAsAssistant(() => program.state());
  expect(requests.map((request) => new URL(request.url).pathname)).toEqual([
    '/api/panels/notes/call',
    '/api/panels/open',
    '/api/state',
  ]);
});
