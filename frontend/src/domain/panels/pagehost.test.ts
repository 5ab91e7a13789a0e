import { afterEach, expect, test, vi } from 'vitest';
import type { Result } from '../../shared/api/types';
import { RateLimiter } from './ratelimiter';
import { PageHost, visibleText, type HostContext, type PageServices, type Values } from './pagehost';

interface Said {
  id?: string | number;
  method?: string;
  params?: Values;
  result?: Values;
  error?: { code: number; message: string };
}

/** A window's end whose services note what they are asked, and the page's end of its port. */
function hosting(services: Partial<PageServices> = {}, flood?: RateLimiter) {
  const heard: Said[] = [];
  const told: unknown[] = [];
  const note =
    (name: string) =>
    (...args: unknown[]) => {
      told.push([name, ...args]);
      return Promise.resolve();
    };
  const port = { onmessage: null, postMessage: (text: string) => heard.push(JSON.parse(text)), close: note('close') };
  const host = new PageHost(
    port as unknown as MessagePort,
    {
      call: async () => ({ success: true, result: 'done' }) as Result,
      tools: () => [{ name: 'notes_add', description: 'Adds.', inputSchema: {} }],
      state: async () => undefined,
      keepState: note('keepState'),
      publish: note('publish'),
      propose: note('propose'),
      openLink: note('openLink'),
      context: () => ({ theme: 'dark' }) as HostContext,
      key: note('key'),
      ready: note('ready'),
      cut: note('cut'),
      ...services,
    },
    flood,
  );
  const raw = (data: unknown) => (port.onmessage as unknown as (event: { data: unknown }) => void)({ data });
  let next = 0;
  /** Asks as a page does; what the window answers. */
  const ask = async (method: string, params?: unknown): Promise<Said> => {
    const id = ++next;
    raw(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    await vi.waitFor(() => expect(heard.some((m) => m.id === id)).toBe(true), 10_000);
    return heard.find((m) => m.id === id)!;
  };
  return { host, heard, told, raw, ask };
}

const settled = () => new Promise((done) => setTimeout(done));

test('a page is welcomed with the window’s context, and told it again when it asks', async () => {
  const { heard, ask } = hosting();
  expect(heard[0]).toMatchObject({ method: 'sextant/welcome', params: { theme: 'dark' } });
  expect((await ask('ui/initialize')).result).toMatchObject({
    hostInfo: { name: 'sextant' },
    hostContext: { theme: 'dark' },
  });
  expect((await ask('tools/list')).result).toEqual({
    tools: [{ name: 'notes_add', description: 'Adds.', inputSchema: {} }],
  });
  expect((await ask('ping')).result).toEqual({});
});

test('a call’s result has MCP’s form, a failure says what to do', async () => {
  const results: Record<string, Result> = {
    words: { success: true, result: 'done' } as Result,
    values: { success: true, result: { a: 1 } } as Result,
    fails: { success: false, error: 'No.', suggestion: 'Ask.', error_type: 'permission_error' } as Result,
  };
  const { ask } = hosting({ call: async (tool) => results[tool]! });
  expect((await ask('tools/call', { name: 'words' })).result).toEqual({ content: [{ type: 'text', text: 'done' }] });
  expect((await ask('tools/call', { name: 'values', arguments: {} })).result).toMatchObject({
    structuredContent: { a: 1 },
  });
  expect((await ask('tools/call', { name: 'fails' })).result).toMatchObject({
    isError: true,
    content: [{ type: 'text', text: 'No. Ask.' }],
  });
});

test('a page has two requests under way and all pages three, also one that was left and whatever they ask', async () => {
  const ends: (() => void)[] = [];
  const call = () =>
    new Promise<Result>((resolve) => ends.push(() => resolve({ success: true, result: 'late' } as Result)));
  const left = hosting({ call });
  const reads = hosting({ read: () => new Promise((resolve) => ends.push(() => resolve({}))) });
  // A page that was left is not answered, so that nobody waits for it.
  for (const id of [1, 2, 3])
    left.raw(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'slow' } }));
  expect(ends).toHaveLength(2);
  reads.raw('{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"x://a"}}');
  reads.raw('{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"x://b"}}');
  expect(ends).toHaveLength(3);
  left.host.close();
  const other = hosting();
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
])('%s with %j is refused, and nothing is done', async (method, params) => {
  const { ask, told } = hosting();
  expect((await ask(method, params)).error?.message).toBeTruthy();
  expect(told).toEqual([]);
});

test('a proposal is shown without what cannot be seen, a link as it will be opened', async () => {
  const { ask, told } = hosting();
  await ask('ui/message', { content: [{ type: 'text', text: 'pay\u202e\u0007 now' }] });
  await ask('ui/open-link', { url: 'https://EXAMPLE.com/a b' });
  expect(told).toEqual([
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
])('what is no message of the protocol has no effect: %s', async (text) => {
  const { raw, told, ask } = hosting();
  raw(text);
  expect((await ask('ping')).result).toEqual({});
  expect(told).toEqual([]);
});

test.each([
  ['no text', () => ({ jsonrpc: '2.0' })],
  ['more than a megabyte', () => `"${'x'.repeat(1 << 20)}"`],
])('a page that sends %s is not heard any more', async (_, message) => {
  const { raw, told, heard } = hosting();
  raw(message());
  raw('{"jsonrpc":"2.0","id":1,"method":"ping"}');
  await settled();
  expect(told).toContainEqual(['cut']);
  expect(heard.filter(({ id }) => id === 1)).toEqual([]);
});

test('a page that floods is cut off', () => {
  const { raw, told } = hosting({}, new RateLimiter(2, 0, 3));
  for (let i = 0; i < 5; i++) raw('{"jsonrpc":"2.0","method":"x"}');
  expect(told).toEqual([]);
  raw('{"jsonrpc":"2.0","method":"x"}');
  expect(told).toEqual([['close'], ['cut']]);
});

test('only the window’s own two keys come out of a page', () => {
  const { raw, told } = hosting();
  for (const key of ['F6', 'Escape', 'a', 'Enter'])
    raw(JSON.stringify({ jsonrpc: '2.0', method: 'sextant/key', params: { key, shift: 1 } }));
  expect(told).toEqual([
    ['key', 'F6', false],
    ['key', 'Escape', false],
  ]);
});

test('a question to the page ends with its answer, its error, or its leaving', async () => {
  const { host, heard, raw } = hosting();
  const answer = (asked: number, rest: object) =>
    raw(JSON.stringify({ jsonrpc: '2.0', id: heard[asked]!.id, ...rest }));
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

test('a page that answers nothing holds 64 questions at most', async () => {
  const { host } = hosting();
  const asked = Array.from({ length: 63 }, () => host.request('x', {}));
  await expect(host.request('x', {})).rejects.toThrow('too many unanswered requests');
  host.close();
  expect((await Promise.allSettled(asked)).every(({ status }) => status === 'rejected')).toBe(true);
});

afterEach(() => void vi.useRealTimers());

test('a page has ten seconds for an answer', async () => {
  vi.useFakeTimers();
  const { host } = hosting();
  const asked = host.request('x', {});
  const refused = expect(asked).rejects.toThrow('did not answer');
  await vi.advanceTimersByTimeAsync(10_000);
  await refused;
});

test('the page of an MCP server reaches what its services have, and nothing that they have not', async () => {
  const bare = hosting();
  expect((await bare.ask('resources/read', { uri: 'x://a' })).error?.code).toBe(-32601);
  expect((await bare.ask('ui/update-model-context', {})).error?.code).toBe(-32000);

  const sizes: unknown[] = [];
  const lines: string[] = [];
  let mode = 'inline';
  const { ask, raw, told } = hosting({
    forward: async (tool) => ({ content: [], from: tool }),
    read: async (uri) => ({ contents: [{ uri }] }),
    tellModel: async (params) => void told.push(params),
    display: (wished) => ((mode = wished), wished),
    sized: (size) => sizes.push(size),
    log: (line) => lines.push(line),
    context: () =>
      ({ theme: 'dark', displayMode: mode, availableDisplayModes: ['inline', 'fullscreen', 'pip'] }) as HostContext,
  });
  const tell = (method: string, params: unknown) => raw(JSON.stringify({ jsonrpc: '2.0', method, params }));
  const hello = await ask('ui/initialize', { appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] } });
  expect(hello.result).toMatchObject({ hostCapabilities: { serverResources: {}, updateModelContext: { text: {} } } });
  expect((await ask('tools/call', { name: 'move', arguments: {} })).result).toEqual({ content: [], from: 'move' });
  expect((await ask('resources/read', { uri: 'x://a' })).result).toEqual({ contents: [{ uri: 'x://a' }] });
  expect((await ask('resources/read', {})).error?.code).toBe(-32602);
  await ask('ui/update-model-context', { content: [{ type: 'text', text: 'hm' }] });
  expect(told).toContainEqual({ content: [{ type: 'text', text: 'hm' }] });

  expect((await ask('ui/request-display-mode', { mode: 'fullscreen' })).result).toEqual({ mode: 'fullscreen' });
  expect((await ask('ui/request-display-mode', { mode: 'pip' })).result).toEqual({ mode: 'fullscreen' });
  expect((await ask('ui/request-display-mode', { mode: 'cinema' })).result).toEqual({ mode: 'fullscreen' });

  tell('ui/notifications/size-changed', { width: 10, height: 1e9 });
  tell('ui/notifications/size-changed', { width: '10', height: -1 });
  expect(sizes).toEqual([
    { width: 10, height: 100_000 },
    { width: undefined, height: undefined },
  ]);
  for (let i = 0; i < 100; i++) tell('notifications/message', { level: 'info', data: `line ${i}` });
  expect(lines.length).toBeLessThan(60);
  expect(lines[0]).toBe('info line 0');
});

// The same cases are in shared/annotation/visible_test.go.
test('what cannot be seen is not in words that a person is asked about', () => {
  const hidden =
    '\u00ad\u034f\u115f\u1160\u17b4\u180b\u180e\u200b\u200d\u202e\u2060\u2800\u3164\ufe00\ufe0f\ufeff\uffa0\ue000\u0378\u{e0041}\u{e0100}\u{f0000}';
  expect(visibleText(`a${[...hidden].join('b')}c`)).toBe(`a${'b'.repeat([...hidden].length - 1)}c`);
  expect(visibleText('one\u2028two\r\nthree\tfour\u0007')).toBe('one\ntwo\nthree\tfour');
  expect(visibleText('Grüße, 漢字 👋 é')).toBe('Grüße, 漢字 👋 é');
});
