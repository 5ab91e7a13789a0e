import { afterEach, expect, test, vi } from 'vitest';
import type { Result } from '../../shared/api/types';
import { RateLimiter } from './ratelimiter';
import { PageHost, visibleText, type HostContext, type PageServices, type JsonObject } from './pagehost';

interface Message {
  id?: string | number;
  method?: string;
  params?: JsonObject;
  result?: JsonObject;
  error?: { code: number; message: string };
}

/** Returns a host whose services record their calls, and the page's end of its port. */
function openPage(services: Partial<PageServices> = {}, limiter?: RateLimiter) {
  const messages: Message[] = [];
  const calls: unknown[] = [];
  const note =
    (name: string) =>
    (...args: unknown[]) => {
      calls.push([name, ...args]);
      return Promise.resolve();
    };
  const port = {
    onmessage: null,
    postMessage: (text: string) => messages.push(JSON.parse(text)),
    close: note('close'),
  };
  const host = new PageHost(
    port as unknown as MessagePort,
    {
      call: async () => ({ success: true, result: 'done' }) as Result,
      tools: () => [{ name: 'notes_add', description: 'Adds.', inputSchema: {} }],
      state: async () => undefined,
      saveState: note('saveState'),
      publish: note('publish'),
      propose: note('propose'),
      openLink: note('openLink'),
      context: () => ({ theme: 'dark' }) as HostContext,
      onKey: note('key'),
      onReady: note('ready'),
      onDisconnect: note('cut'),
      ...services,
    },
    limiter,
  );
  const raw = (data: unknown) => (port.onmessage as unknown as (event: { data: unknown }) => void)({ data });
  let next = 0;
  /** Sends a request as the page and returns the answer. */
  const ask = async (method: string, params?: unknown): Promise<Message> => {
    const id = ++next;
    raw(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    await vi.waitFor(() => expect(messages.some((m) => m.id === id)).toBe(true), 10_000);
    return messages.find((m) => m.id === id)!;
  };
  return { host, messages, calls, raw, ask };
}

const settled = () => new Promise((done) => setTimeout(done));

test('sends the host context on initialize, every time', async () => {
  const { messages, ask } = openPage();
  expect(messages[0]).toMatchObject({ method: 'sextant/welcome', params: { theme: 'dark' } });
  expect((await ask('ui/initialize')).result).toMatchObject({
    hostInfo: { name: 'sextant' },
    hostContext: { theme: 'dark' },
  });
  expect((await ask('tools/list')).result).toEqual({
    tools: [{ name: 'notes_add', description: 'Adds.', inputSchema: {} }],
  });
  expect((await ask('ping')).result).toEqual({});
});

test('returns results in MCP’s form, and failures with a suggestion', async () => {
  const results: Record<string, Result> = {
    words: { success: true, result: 'done' } as Result,
    values: { success: true, result: { a: 1 } } as Result,
    fails: { success: false, error: 'No.', suggestion: 'Ask.', error_type: 'permission_error' } as Result,
  };
  const { ask } = openPage({ call: async (tool) => results[tool]! });
  expect((await ask('tools/call', { name: 'words' })).result).toEqual({ content: [{ type: 'text', text: 'done' }] });
  expect((await ask('tools/call', { name: 'values', arguments: {} })).result).toMatchObject({
    structuredContent: { a: 1 },
  });
  expect((await ask('tools/call', { name: 'fails' })).result).toMatchObject({
    isError: true,
    content: [{ type: 'text', text: 'No. Ask.' }],
  });
});

test('limits concurrent requests to two per page and three in all, including closed pages', async () => {
  const ends: (() => void)[] = [];
  const call = () =>
    new Promise<Result>((resolve) => ends.push(() => resolve({ success: true, result: 'late' } as Result)));
  const left = openPage({ call });
  const reads = openPage({ readResource: () => new Promise((resolve) => ends.push(() => resolve({}))) });
  // A closed page gets no answer.
  for (const id of [1, 2, 3])
    left.raw(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'slow' } }));
  expect(ends).toHaveLength(2);
  reads.raw('{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"x://a"}}');
  reads.raw('{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"x://b"}}');
  expect(ends).toHaveLength(3);
  left.host.close();
  const other = openPage();
  expect((await other.ask('tools/call', { name: 'quick' })).error?.message).toContain('all pages 3');
  for (const end of ends) end();
  await settled();
  expect((await other.ask('tools/call', { name: 'quick' })).error).toBeUndefined();
});

test.each([
  ['tools/call', {}],
  ['tools/call', { name: 7 }],
  ['tools/call', { name: 'x', arguments: [] }],
  ['tools/call', null],
  ['sextant/state.set', {}],
  ['sextant/context', { values: [1] }],
  ['ui/message', { content: [{ type: 'image', text: 'x' }] }],
  ['ui/message', { content: [{ type: 'text', text: '\u200b\u202e ' }] }],
  ['ui/message', { content: [{ type: 'text', text: 'x'.repeat(4001) }] }],
  ['ui/open-link', { url: 'javascript:alert(1)' }],
  ['ui/open-link', { url: 'file:///etc/passwd' }],
  ['ui/open-link', { url: 'https://who:word@example.com/' }],
  ['ui/open-link', { url: { toString: (): string => 'https://example.com' } }],
  ['ui/update-model-context', { content: 'obey' }],
  ['constructor', {}],
  ['__proto__', {}],
])('refuses %s with %j', async (method, params) => {
  const { ask, calls } = openPage();
  expect((await ask(method, params)).error?.message).toBeTruthy();
  expect(calls).toEqual([]);
});

test('removes invisible characters from a proposal and normalizes a link', async () => {
  const { ask, calls } = openPage();
  await ask('ui/message', { content: [{ type: 'text', text: 'pay\u202e\u0007 now' }] });
  await ask('ui/open-link', { url: 'https://EXAMPLE.com/a b' });
  expect(calls).toEqual([
    ['propose', 'pay now'],
    ['openLink', 'https://example.com/a%20b'],
  ]);
});

test.each([
  ['{'],
  ['null'],
  ['7'],
  ['[]'],
  ['{}'],
  ['{"id": 1}'],
  ['{"id": {"a": 1}, "result": 1}'],
  ['{"id": "host:99", "result": 1}'],
])('ignores a message outside the protocol: %s', async (text) => {
  const { raw, calls, ask } = openPage();
  raw(text);
  expect((await ask('ping')).result).toEqual({});
  expect(calls).toEqual([]);
});

test.each([
  ['no text', () => ({ jsonrpc: '2.0' })],
  ['more than a megabyte', () => `"${'x'.repeat(1 << 20)}"`],
])('disconnects a page that sends %s', async (_, message) => {
  const { raw, calls, messages } = openPage();
  raw(message());
  raw('{"jsonrpc":"2.0","id":1,"method":"ping"}');
  await settled();
  expect(calls).toContainEqual(['cut']);
  expect(messages.filter(({ id }) => id === 1)).toEqual([]);
});

test('disconnects a page that exceeds the rate limit', () => {
  const { raw, calls } = openPage({}, new RateLimiter(2, 0, 3));
  for (let i = 0; i < 5; i++) raw('{"jsonrpc":"2.0","method":"x"}');
  expect(calls).toEqual([]);
  raw('{"jsonrpc":"2.0","method":"x"}');
  expect(calls).toEqual([['close'], ['cut']]);
});

test('forwards only F6 and Escape from a page', () => {
  const { raw, calls } = openPage();
  for (const key of ['F6', 'Escape', 'a', 'Enter'])
    raw(JSON.stringify({ jsonrpc: '2.0', method: 'sextant/key', params: { key, shift: 1 } }));
  expect(calls).toEqual([
    ['key', 'F6', false],
    ['key', 'Escape', false],
  ]);
});

test('settles a request to the page by its answer, its error or its disconnection', async () => {
  const { host, messages, raw } = openPage();
  const answer = (asked: number, rest: object) =>
    raw(JSON.stringify({ jsonrpc: '2.0', id: messages[asked]!.id, ...rest }));
  const good = host.request('x', {});
  const bad = host.request('x', {});
  const left = host.request('x', {});
  answer(1, { result: 7 });
  answer(2, { error: { message: 'e'.repeat(9000) } });
  await expect(good).resolves.toBe(7);
  await expect(bad).rejects.toThrow(/^e{2000}$/);
  host.close();
  await expect(left).rejects.toThrow('The page is gone.');
  await expect(host.request('x', {})).rejects.toThrow('The page is gone.');
});

test('allows at most 64 unanswered requests to a page', async () => {
  const { host } = openPage();
  const asked = Array.from({ length: 63 }, () => host.request('x', {}));
  await expect(host.request('x', {})).rejects.toThrow('too many unanswered requests');
  host.close();
  expect((await Promise.allSettled(asked)).every(({ status }) => status === 'rejected')).toBe(true);
});

afterEach(() => void vi.useRealTimers());

test('rejects a request that a page does not answer within ten seconds', async () => {
  vi.useFakeTimers();
  const { host } = openPage();
  const asked = host.request('x', {});
  const refused = expect(asked).rejects.toThrow('did not answer');
  await vi.advanceTimersByTimeAsync(10_000);
  await refused;
});

test('offers the page of an MCP server only the services it was given', async () => {
  const bare = openPage();
  expect((await bare.ask('resources/read', { uri: 'x://a' })).error?.code).toBe(-32601);
  expect((await bare.ask('ui/update-model-context', {})).error?.code).toBe(-32000);

  const sizes: unknown[] = [];
  const lines: string[] = [];
  let mode = 'inline';
  const { ask, raw, calls } = openPage({
    forward: async (tool) => ({ content: [], from: tool }),
    readResource: async (uri) => ({ contents: [{ uri }] }),
    updateModelContext: async (params) => void calls.push(params),
    setDisplayMode: (wished) => ((mode = wished), wished),
    onResize: (size) => sizes.push(size),
    log: (line) => lines.push(line),
    context: () =>
      ({ theme: 'dark', displayMode: mode, availableDisplayModes: ['inline', 'fullscreen', 'pip'] }) as HostContext,
  });
  const notify = (method: string, params: unknown) => raw(JSON.stringify({ jsonrpc: '2.0', method, params }));
  const hello = await ask('ui/initialize', { appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] } });
  expect(hello.result).toMatchObject({ hostCapabilities: { serverResources: {}, updateModelContext: { text: {} } } });
  expect((await ask('tools/call', { name: 'move', arguments: {} })).result).toEqual({ content: [], from: 'move' });
  expect((await ask('resources/read', { uri: 'x://a' })).result).toEqual({ contents: [{ uri: 'x://a' }] });
  expect((await ask('resources/read', {})).error?.code).toBe(-32602);
  await ask('ui/update-model-context', { content: [{ type: 'text', text: 'hm' }] });
  expect(calls).toContainEqual({ content: [{ type: 'text', text: 'hm' }] });

  expect((await ask('ui/request-display-mode', { mode: 'fullscreen' })).result).toEqual({ mode: 'fullscreen' });
  expect((await ask('ui/request-display-mode', { mode: 'pip' })).result).toEqual({ mode: 'fullscreen' });
  expect((await ask('ui/request-display-mode', { mode: 'cinema' })).result).toEqual({ mode: 'fullscreen' });

  notify('ui/notifications/size-changed', { width: 10, height: 1e9 });
  notify('ui/notifications/size-changed', { width: '10', height: -1 });
  expect(sizes).toEqual([
    { width: 10, height: 100_000 },
    { width: undefined, height: undefined },
  ]);
  for (let i = 0; i < 100; i++) notify('notifications/message', { level: 'info', data: `line ${i}` });
  expect(lines.length).toBeLessThan(60);
  expect(lines[0]).toBe('info line 0');
});

// The same cases are in shared/annotation/visible_test.go.
test('removes invisible characters', () => {
  const hidden =
    '\u00ad\u034f\u115f\u1160\u17b4\u180b\u180e\u200b\u200d\u202e\u2060\u2800\u3164\ufe00\ufe0f\ufeff\uffa0\ue000\u0378\u{e0041}\u{e0100}\u{f0000}';
  expect(visibleText(`a${[...hidden].join('b')}c`)).toBe(`a${'b'.repeat([...hidden].length - 1)}c`);
  expect(visibleText('one\u2028two\r\nthree\tfour\u0007')).toBe('one\ntwo\nthree\tfour');
  expect(visibleText('Grüße, 漢字 👋 é')).toBe('Grüße, 漢字 👋 é');
});
