import type { Result } from '../../shared/api/types';
import { RateLimiter } from './ratelimiter';

/** The supported revision of the MCP Apps protocol. */
const PROTOCOL = '2026-01-26';
/**
 * The most characters of a message, concurrent requests of all pages and of one page, and unanswered requests to a
 * page, and how long an answer is awaited. The requests are few because a browser opens only six connections to the
 * program.
 */
const MESSAGE_MAX = 1 << 20;
const REQUESTS_MAX = 3;
const PAGE_REQUESTS_MAX = 2;
const PENDING_MAX = 64;
const ANSWER_TIMEOUT_MS = 10_000;

/** A JSON object. */
export type JsonObject = Record<string, unknown>;

/** The running requests of all pages. Those of a closed page count too, because they still use a connection. */
const running = { all: 0 };

/** Where a page is displayed: in the conversation, over the stage, or in a floating window. */
export type DisplayMode = 'inline' | 'fullscreen' | 'pip';

/** The host context that MCP Apps defines. */
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
  /** An extension for Sextant's own script in the page. */
  sextant: { variables: Record<string, string> };
  toolInfo?: { id: string; tool: object };
}

/** What the window does at the request of a page. The page receives the error message when a promise is rejected. */
export interface PageServices {
  call(tool: string, args: JsonObject): Promise<Result>;
  /** Returns the tools that the page may call. */
  tools(): { name: string; description: string; inputSchema: unknown }[];
  state(): Promise<unknown>;
  saveState(state: unknown): Promise<void>;
  publish(values: JsonObject): Promise<void>;
  /** Shows the person a message that the page proposes. Resolves when they insert it. */
  propose(text: string): Promise<void>;
  /** Asks the person whether to open an address. Resolves when it is open. */
  openLink(url: string): Promise<void>;
  context(): HostContext;
  /** Replaces `call` for the page of an MCP server, and returns the server's unchanged answer. */
  forward?(tool: string, args: JsonObject): Promise<object>;
  /** Reads a resource of the page's own MCP server. */
  readResource?(uri: string): Promise<object>;
  /** Saves text for the model's next turn, with the params of ui/update-model-context. */
  updateModelContext?(params: JsonObject): Promise<void>;
  /** Changes the display mode if possible, and returns the resulting mode. */
  setDisplayMode?(mode: DisplayMode): DisplayMode;
  /** Called when the page reports its size in CSS pixels. */
  onResize?(size: { width?: number; height?: number }): void;
  /** Writes a line to the log of the MCP server. */
  log?(line: string): void;
  /** Called when the page asks to be closed. */
  onCloseRequest?(): void;
  /** Called when a key that belongs to the window was pressed in the page. */
  onKey(key: 'F6' | 'Escape', shift: boolean): void;
  /** Called when the page has completed the MCP Apps handshake. */
  onReady?(): void;
  /** Called when the page was disconnected because it exceeded its limits or sent something other than text. */
  onDisconnect(): void;
}

interface Message {
  id?: string | number;
  method?: string;
  params?: JsonObject;
  result?: unknown;
  error?: { message?: unknown };
}

/** An error for a page, with its JSON-RPC code. */
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
 * The window's end of the message channel to one document of a page. The page's messages are untrusted: they are
 * limited and validated, and never count as the person's.
 */
export class PageHost {
  #port: MessagePort | null;
  #next = 0;
  #running = 0;
  /** The display modes that the page supports; null if it has not named any. */
  #modes: unknown[] | null = null;
  readonly #logLimiter = new RateLimiter(40, 5, Infinity);
  readonly #displayLimiter = new RateLimiter(4, 0.2, Infinity);
  readonly #pending = new Map<string, { resolve(result: unknown): void; reject(error: Error): void }>();

  constructor(
    port: MessagePort,
    private readonly services: PageServices,
    private readonly limiter = new RateLimiter(),
  ) {
    this.#port = port;
    port.onmessage = (event: MessageEvent) => this.#receive(event.data);
    void this.request('sextant/welcome', services.context()).catch(() => {});
  }

  /** Sends the page a notification. */
  notify(method: string, params: object): void {
    this.#send({ method, params });
  }

  /** Sends the page a request and returns its untrusted answer. Rejects if it fails, times out or the page is gone. */
  request(method: string, params: object): Promise<unknown> {
    if (!this.#port) return Promise.reject(refused('The page is gone.'));
    if (this.#pending.size >= PENDING_MAX) return Promise.reject(refused('The page has too many unanswered requests.'));
    const id = `host:${++this.#next}`;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#pending.delete(id);
        reject(refused('The page did not answer.'));
      }, ANSWER_TIMEOUT_MS);
      const end =
        <T>(then: (value: T) => void) =>
        (value: T) => {
          clearTimeout(timer);
          then(value);
        };
      this.#pending.set(id, { resolve: end(resolve), reject: end(reject) });
      this.#send({ id, method, params });
    });
  }

  /** Tells the page that the theme, the language or its size has changed. */
  contextChanged(): void {
    this.notify('ui/notifications/host-context-changed', this.services.context());
  }

  close(): void {
    this.#port?.close();
    this.#port = null;
    for (const asked of this.#pending.values()) asked.reject(refused('The page is gone.'));
    this.#pending.clear();
  }

  #send(message: object): void {
    this.#port?.postMessage(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  #receive(data: unknown): void {
    const verdict = this.limiter.take();
    if (verdict === 'close' || typeof data !== 'string' || data.length > MESSAGE_MAX) {
      this.close();
      this.services.onDisconnect();
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
    const asked = this.#pending.get(id);
    this.#pending.delete(id);
    if (message.error) asked?.reject(refused(String(message.error.message ?? '').slice(0, 2000)));
    else asked?.resolve(message.result);
  }

  async #serve({ id, params }: Message, method: string): Promise<void> {
    const values = typeof params === 'object' && params !== null ? params : {};
    if (id === undefined) {
      this.#notified(method, values);
      return;
    }
    try {
      this.#send({ id, result: await this.#answer(method, values) });
    } catch (error) {
      const code = error instanceof PageError ? error.code : -32000;
      this.#send({ id, error: { code, message: error instanceof Error ? error.message : String(error) } });
    }
  }

  /** Reports whether the page supports a display mode. A page that names no modes supports all. */
  supports(mode: DisplayMode): boolean {
    return !this.#modes || this.#modes.includes(mode);
  }

  /** Handles a notification. Unknown notifications are ignored. */
  #notified(method: string, params: JsonObject): void {
    if (method === 'ui/notifications/initialized') this.services.onReady?.();
    if (method === 'ui/notifications/request-teardown') this.services.onCloseRequest?.();
    if (method === 'ui/notifications/size-changed') {
      this.services.onResize?.({ width: pixels(params.width), height: pixels(params.height) });
    }
    if (method === 'notifications/message' && this.services.log && this.#logLimiter.take() === 'accept') {
      const { level, data } = params;
      const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '');
      this.services.log(`${typeof level === 'string' ? level.slice(0, 20) : 'info'} ${text.slice(0, 1900)}`);
    }
    if (method === 'sextant/key' && (params.key === 'F6' || params.key === 'Escape')) {
      this.services.onKey(params.key, params.shift === true);
    }
  }

  async #answer(method: string, params: JsonObject): Promise<unknown> {
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
        if (!this.services.readResource) break;
        if (typeof params.uri !== 'string') throw wrong('"uri" is missing: the resource to read.');
        return this.#limited(() => this.services.readResource!(String(params.uri).slice(0, 2000)));
      case 'ui/request-display-mode':
        return { mode: this.#display(params.mode) };
      case 'ui/update-model-context':
        if (!this.services.updateModelContext) throw refused('The context of this page is not sent to the model.');
        await this.#limited(() => this.services.updateModelContext!(params));
        return {};
      case 'sextant/state.get':
        return { state: (await this.services.state()) ?? null };
      case 'sextant/state.set':
        if (params.state === undefined) throw wrong('"state" is missing: any JSON value.');
        await this.services.saveState(params.state);
        return {};
      case 'sextant/context':
        if (!isObject(params.values)) throw wrong('"values" is an object with keys of the manifest’s context.');
        await this.services.publish(params.values);
        return {};
    }
    throw new PageError(-32601, `Sextant has no ${method.slice(0, 80)}.`);
  }

  #display(requested: unknown): DisplayMode {
    const { displayMode, availableDisplayModes } = this.services.context();
    const mode = availableDisplayModes.find((one) => one === requested);
    if (this.#displayLimiter.take() !== 'accept') return displayMode;
    return mode && this.supports(mode) ? (this.services.setDisplayMode?.(mode) ?? displayMode) : displayMode;
  }

  #initialize(params: JsonObject): object {
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
        ...(services.readResource ? { serverResources: {} } : {}),
        ...(services.updateModelContext ? { updateModelContext: { text: {}, structuredContent: {} } } : {}),
      },
      hostContext: this.services.context(),
    };
  }

  async #call(params: JsonObject): Promise<object> {
    if (typeof params.name !== 'string') throw wrong('"name" is missing: the tool to call.');
    const args = params.arguments ?? {};
    if (!isObject(args)) throw wrong('"arguments" is an object.');
    const { name } = params;
    return this.#limited(async () => {
      if (this.services.forward) return this.services.forward(name, args);
      return toolResult(await this.services.call(name, args));
    });
  }

  /** Runs a request that another program may delay. Rejects when too many such requests are running. */
  async #limited<T>(request: () => Promise<T>): Promise<T> {
    if (this.#running >= PAGE_REQUESTS_MAX || running.all >= REQUESTS_MAX) {
      throw refused(
        `A page has ${PAGE_REQUESTS_MAX} running requests at most, all pages ${REQUESTS_MAX}; wait for one to end.`,
      );
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

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns a length in pixels, limited to 100,000; undefined for anything else. */
const pixels = (value: unknown) =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.min(value, 100_000) : undefined;

/** Converts a result to the form of MCP. */
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
 * Invisible characters: control, format, tag, private and unassigned characters, variation selectors and blank fillers.
 * They could hide text that a person approves. The Go function annotation.StripInvisible removes the same characters.
 */
const INVISIBLE = /[^\P{C}\n\t]|\p{Variation_Selector}|\u034f|\u115f|\u1160|\u17b4|\u17b5|\u2800|\u3164|\uffa0/gu;

/** Removes invisible characters from a text. Tabs stay, and all line breaks become \n. */
export const visibleText = (text: string): string => text.replace(/\r\n?|[\u2028\u2029]/g, '\n').replace(INVISIBLE, '');

function messageText(params: JsonObject): string {
  const blocks = Array.isArray(params.content) ? params.content : [params.content];
  const text = visibleText(
    blocks
      .map((block) => (isObject(block) && block.type === 'text' && typeof block.text === 'string' ? block.text : ''))
      .join('\n'),
  ).trim();
  if (!text) throw wrong('"content" contains no text.');
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
