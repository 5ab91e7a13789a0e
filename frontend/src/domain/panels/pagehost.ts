import type { Result } from '../../shared/api/types';
import { Flood } from './flood';

/** The revision of MCP Apps that is spoken. */
const PROTOCOL = '2026-01-26';
/**
 * Bounds of what a page may send: one message, what all pages and one page have under way, requests to it
 * that wait. A browser has six connections to the program for all that the window does.
 */
const MESSAGE = 1 << 20;
const ALL = 3;
const OWN = 2;
const ASKED = 64;
const PATIENCE = 10_000;

/** A JSON object. */
export type Values = Record<string, unknown>;

/** Requests to the program under way; those of a page that was left still hold their connection. */
const running = { all: 0 };

/** How a page is shown: in the conversation, over the stage, or in a small window of its own. */
export type DisplayMode = 'inline' | 'fullscreen' | 'pip';

/** What a page is told of the window it stands in, as MCP Apps names it. */
export interface HostContext {
  theme: 'light' | 'dark';
  locale: string;
  timeZone: string;
  platform: 'desktop';
  userAgent: string;
  displayMode: DisplayMode;
  availableDisplayModes: DisplayMode[];
  containerDimensions: { width: number; height?: number; maxHeight?: number };
  styles: { variables: Record<string, string> };
  /** What is not of the standard, for our script in the page. */
  sextant: { variables: Record<string, string> };
  toolInfo?: { id: string; tool: object };
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
  /** Instead of call: an answer of the page's own MCP server, as that gave it. */
  forward?(tool: string, args: Values): Promise<object>;
  /** Reads a resource of the page's own MCP server. */
  read?(uri: string): Promise<object>;
  /** Keeps text for the model's next turn; params are those of ui/update-model-context. */
  tellModel?(params: Values): Promise<void>;
  /** Shows the page in another way, if it can be; what it is shown in then. */
  display?(mode: DisplayMode): DisplayMode;
  /** The page has another size, in CSS pixels. */
  sized?(size: { width?: number; height?: number }): void;
  /** A line for the log. */
  log?(line: string): void;
  /** The page wants to go. */
  leave?(): void;
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
  #running = 0;
  /** The ways of being shown that the page knows; null when it names none. */
  #modes: unknown[] | null = null;
  readonly #lines = new Flood(40, 5, Infinity);
  readonly #moves = new Flood(4, 0.2, Infinity);
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

  /** Whether the page may be shown so: it may where it does not name the ways it knows. */
  knows(mode: DisplayMode): boolean {
    return !this.#modes || this.#modes.includes(mode);
  }

  /** Notifications; one that is not known has no effect. */
  #told(method: string, params: Values): void {
    if (method === 'ui/notifications/initialized') this.services.ready?.();
    if (method === 'ui/notifications/request-teardown') this.services.leave?.();
    if (method === 'ui/notifications/size-changed') {
      this.services.sized?.({ width: pixels(params.width), height: pixels(params.height) });
    }
    if (method === 'notifications/message' && this.services.log && this.#lines.take() === 'hear') {
      const { level, data } = params;
      const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '');
      this.services.log(`${typeof level === 'string' ? level.slice(0, 20) : 'info'} ${text.slice(0, 1900)}`);
    }
    if (method === 'sextant/key' && (params.key === 'F6' || params.key === 'Escape')) {
      this.services.key(params.key, params.shift === true);
    }
  }

  async #answer(method: string, params: Values): Promise<unknown> {
    switch (method) {
      case 'ping':
        return {};
      case 'ui/initialize':
        return this.#initialize(params);
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
      case 'resources/read':
        if (!this.services.read) break;
        if (typeof params.uri !== 'string') throw wrong('"uri" is missing: the resource to read.');
        return this.#bounded(() => this.services.read!(String(params.uri).slice(0, 2000)));
      case 'ui/request-display-mode':
        return { mode: this.#display(params.mode) };
      case 'ui/update-model-context':
        if (!this.services.tellModel) throw refused('What this page shows is not told to the model.');
        await this.#bounded(() => this.services.tellModel!(params));
        return {};
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

  #display(wished: unknown): DisplayMode {
    const { displayMode, availableDisplayModes } = this.services.context();
    const mode = availableDisplayModes.find((one) => one === wished);
    if (this.#moves.take() !== 'hear') return displayMode;
    return mode && this.knows(mode) ? (this.services.display?.(mode) ?? displayMode) : displayMode;
  }

  #initialize(params: Values): object {
    const can = params.appCapabilities;
    const modes = isObject(can) ? can.availableDisplayModes : null;
    this.#modes = Array.isArray(modes) ? modes.slice(0, 8) : null;
    const { services } = this;
    return {
      protocolVersion: PROTOCOL,
      hostInfo: { name: 'sextant', version: '1' },
      hostCapabilities: {
        openLinks: {},
        serverTools: {},
        logging: {},
        message: { text: {} },
        ...(services.read ? { serverResources: {} } : {}),
        ...(services.tellModel ? { updateModelContext: { text: {}, structuredContent: {} } } : {}),
      },
      hostContext: this.services.context(),
    };
  }

  async #call(params: Values): Promise<object> {
    if (typeof params.name !== 'string') throw wrong('"name" is missing: the tool to call.');
    const args = params.arguments ?? {};
    if (!isObject(args)) throw wrong('"arguments" is an object.');
    const { name } = params;
    return this.#bounded(async () => {
      if (this.services.forward) return this.services.forward(name, args);
      return toolResult(await this.services.call(name, args));
    });
  }

  /**
   * Does what a stranger's program may hold up, where a connection is left for the page. What the program
   * itself answers at once, as a page's state, does not count.
   */
  async #bounded<T>(request: () => Promise<T>): Promise<T> {
    if (this.#running >= OWN || running.all >= ALL) {
      throw refused(`A page has ${OWN} requests under way at most, all pages ${ALL}; wait for one to end.`);
    }
    this.#running++;
    running.all++;
    try {
      return await request();
    } finally {
      this.#running--;
      running.all--;
    }
  }
}

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A length of a page's, when it is one. */
const pixels = (value: unknown) =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.min(value, 100_000) : undefined;

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

/**
 * What cannot be seen: control and format characters, tags, private and unassigned ones, variation selectors
 * and blank fillers. A person would agree to text that they did not read. annotator.Seen has the same rule.
 */
const UNSEEN = /[^\P{C}\n\t]|\p{Variation_Selector}|\u034f|\u115f|\u1160|\u17b4|\u17b5|\u2800|\u3164|\uffa0/gu;

/** Text without what cannot be seen in it; its lines stay. */
export const seen = (text: string): string => text.replace(/\r\n?|[\u2028\u2029]/g, '\n').replace(UNSEEN, '');

function messageText(params: Values): string {
  const blocks = Array.isArray(params.content) ? params.content : [params.content];
  const text = seen(
    blocks
      .map((block) => (isObject(block) && block.type === 'text' && typeof block.text === 'string' ? block.text : ''))
      .join('\n'),
  ).trim();
  if (!text) throw wrong('"content" holds no text.');
  if (text.length > 4000) throw wrong('A message has 4,000 characters at most.');
  return text;
}

function webAddress(url: unknown): string {
  const parsed = typeof url === 'string' && url.length <= 2000 && URL.canParse(url) ? new URL(url) : null;
  if (!parsed || !/^(https?|mailto):$/.test(parsed.protocol) || parsed.username || parsed.password) {
    throw wrong('"url" is an http, https or mailto address.');
  }
  return parsed.href;
}
