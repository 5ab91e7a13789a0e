import type { Result } from '../../shared/api/types';
import { Flood } from './flood';

/** The revision of MCP Apps that is spoken. */
const PROTOCOL = '2026-01-26';
/**
 * Bounds of what a page may send: one message, the calls of all pages under way, requests to it that
 * wait. A browser has six connections to the program for all that the window does.
 */
const MESSAGE = 1 << 20;
const CALLS = 3;
const ASKED = 64;
const PATIENCE = 10_000;

/** A JSON object. */
export type Values = Record<string, unknown>;

/** Calls under way; those of a page that was left still hold their connection. */
const running = { calls: 0 };

/** What a page is told of the window it stands in, as MCP Apps names it. */
export interface HostContext {
  theme: 'light' | 'dark';
  locale: string;
  timeZone: string;
  platform: 'desktop';
  userAgent: string;
  displayMode: 'inline';
  availableDisplayModes: ['inline'];
  containerDimensions: { width: number; height: number };
  styles: { variables: Record<string, string> };
}

/** What the window does for a page. A rejection is told to the page in its words. */
export interface PageServices {
  call(tool: string, args: Values): Promise<Result>;
  /** The tools that the page may call. */
  tools(): { name: string; description: string; inputSchema: unknown }[];
  state(): Promise<unknown>;
  keepState(state: unknown): Promise<void>;
  publish(values: Values): Promise<void>;
  /** Shows a person a message that the page proposes; resolves when it is taken. */
  propose(text: string): Promise<void>;
  /** Asks a person about an address; resolves when it is opened. */
  openLink(url: string): Promise<void>;
  context(): HostContext;
  /** A key of the window's that was pressed in the page. */
  key(key: 'F6' | 'Escape', shift: boolean): void;
  /** The page speaks MCP Apps and was answered. */
  ready?(): void;
  /** The page sent too much and is no longer heard. */
  cut(): void;
}

interface Message {
  id?: string | number;
  method?: string;
  params?: Values;
  result?: unknown;
  error?: { message?: unknown };
}

/** An error that a page is told, with its JSON-RPC code. */
export class PageError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

const refused = (message: string) => new PageError(-32000, message);
const wrong = (message: string) => new PageError(-32602, message);

/**
 * The window's end of the bridge to one document of a panel's page. Everything that comes over
 * the port is text from outside: bounded, of known form or refused, and never the person's word.
 */
export class PageHost {
  #port: MessagePort | null;
  #next = 0;
  readonly #asked = new Map<string, { resolve(result: unknown): void; reject(error: Error): void }>();

  constructor(
    port: MessagePort,
    private readonly services: PageServices,
    private readonly flood = new Flood(),
  ) {
    this.#port = port;
    port.onmessage = (event: MessageEvent) => this.#hear(event.data);
    void this.request('sextant/welcome', services.context()).catch(() => {});
  }

  /** Tells the page something. */
  notify(method: string, params: object): void {
    this.#send({ method, params });
  }

  /** Asks the page; its answer is text from outside. It has ten seconds. */
  request(method: string, params: object): Promise<unknown> {
    if (!this.#port) return Promise.reject(refused('The page is gone.'));
    if (this.#asked.size >= ASKED) return Promise.reject(refused('The page has not answered so many questions yet.'));
    const id = `host:${++this.#next}`;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#asked.delete(id);
        reject(refused('The page did not answer.'));
      }, PATIENCE);
      const end =
        <T>(then: (value: T) => void) =>
        (value: T) => {
          clearTimeout(timer);
          then(value);
        };
      this.#asked.set(id, { resolve: end(resolve), reject: end(reject) });
      this.#send({ id, method, params });
    });
  }

  /** The window changed: theme, language or size. */
  contextChanged(): void {
    this.notify('ui/notifications/host-context-changed', this.services.context());
  }

  close(): void {
    this.#port?.close();
    this.#port = null;
    for (const asked of this.#asked.values()) asked.reject(refused('The page is gone.'));
    this.#asked.clear();
  }

  #send(message: object): void {
    this.#port?.postMessage(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  #hear(data: unknown): void {
    const verdict = this.flood.take();
    if (verdict === 'cut' || typeof data !== 'string' || data.length > MESSAGE) {
      this.close();
      this.services.cut();
      return;
    }
    if (verdict === 'drop') return;
    let message: Message;
    try {
      message = JSON.parse(data) as Message;
    } catch {
      return;
    }
    if (typeof message !== 'object' || message === null) return;
    if (typeof message.method === 'string') void this.#serve(message, message.method);
    else if (typeof message.id === 'string') this.#settle(message.id, message);
  }

  #settle(id: string, message: Message): void {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    if (message.error) asked?.reject(refused(String(message.error.message ?? '').slice(0, 2000)));
    else asked?.resolve(message.result);
  }

  async #serve({ id, params }: Message, method: string): Promise<void> {
    const given = typeof params === 'object' && params !== null ? params : {};
    if (id === undefined) {
      this.#told(method, given);
      return;
    }
    try {
      this.#send({ id, result: await this.#answer(method, given) });
    } catch (error) {
      const code = error instanceof PageError ? error.code : -32000;
      this.#send({ id, error: { code, message: error instanceof Error ? error.message : String(error) } });
    }
  }

  /** Notifications; one that is not known has no effect, nor has size: the page has the stage. */
  #told(method: string, params: Values): void {
    if (method === 'ui/notifications/initialized') this.services.ready?.();
    if (method === 'sextant/key' && (params.key === 'F6' || params.key === 'Escape')) {
      this.services.key(params.key, params.shift === true);
    }
  }

  async #answer(method: string, params: Values): Promise<unknown> {
    switch (method) {
      case 'ping':
        return {};
      case 'ui/initialize':
        return this.#initialize();
      case 'tools/list':
        return { tools: this.services.tools() };
      case 'tools/call':
        return this.#call(params);
      case 'ui/message':
        await this.services.propose(messageText(params));
        return {};
      case 'ui/open-link':
        await this.services.openLink(webAddress(params.url));
        return {};
      case 'ui/request-display-mode':
        return { mode: 'inline' };
      case 'ui/update-model-context':
        throw refused(
          'Sextant takes no text for the model from a page. Publish values of keys in the manifest’s context by sextant/context.',
        );
      case 'sextant/state.get':
        return { state: (await this.services.state()) ?? null };
      case 'sextant/state.set':
        if (params.state === undefined) throw wrong('"state" is missing: any JSON value.');
        await this.services.keepState(params.state);
        return {};
      case 'sextant/context':
        if (!isObject(params.values)) throw wrong('"values" is an object with keys of the manifest’s context.');
        await this.services.publish(params.values);
        return {};
    }
    throw new PageError(-32601, `Sextant has no ${method.slice(0, 80)}.`);
  }

  #initialize(): object {
    return {
      protocolVersion: PROTOCOL,
      hostInfo: { name: 'sextant', version: '1' },
      hostCapabilities: { openLinks: {}, serverTools: {}, logging: {} },
      hostContext: this.services.context(),
    };
  }

  async #call(params: Values): Promise<object> {
    if (typeof params.name !== 'string') throw wrong('"name" is missing: the tool to call.');
    const args = params.arguments ?? {};
    if (!isObject(args)) throw wrong('"arguments" is an object.');
    if (running.calls >= CALLS) throw refused(`Pages have ${CALLS} calls under way; wait for one to end.`);
    running.calls++;
    try {
      return toolResult(await this.services.call(params.name, args));
    } finally {
      running.calls--;
    }
  }
}

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A result in MCP's form. */
function toolResult(result: Result): object {
  if (!result.success) {
    const text = [result.error, result.suggestion].filter(Boolean).join(' ');
    return { isError: true, content: [{ type: 'text', text }], _meta: { error_type: result.error_type } };
  }
  const value: unknown = result.result;
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  const content = [{ type: 'text', text }];
  return isObject(value) ? { content, structuredContent: value } : { content };
}

/** Control characters but line ends, and those that change the direction of text. */
// eslint-disable-next-line no-control-regex
const UNSEEN = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

function messageText(params: Values): string {
  const blocks = Array.isArray(params.content) ? params.content : [params.content];
  const text = blocks
    .map((block) => (isObject(block) && block.type === 'text' && typeof block.text === 'string' ? block.text : ''))
    .join('\n')
    .replace(UNSEEN, ' ')
    .trim();
  if (!text) throw wrong('"content" holds no text.');
  if (text.length > 4000) throw wrong('A message has 4,000 characters at most.');
  return text;
}

function webAddress(url: unknown): string {
  const parsed = typeof url === 'string' && url.length <= 2000 && URL.canParse(url) ? new URL(url) : null;
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username || parsed.password) {
    throw wrong('"url" is an http or https address.');
  }
  return parsed.href;
}
