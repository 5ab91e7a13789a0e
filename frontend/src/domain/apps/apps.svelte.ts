import type { ServerApp } from '../../shared/api/types';
import type { Actions } from '../actions';
import type { DisplayMode, JsonObject } from '../panels/pagehost';
import type { CallView } from '../store/state';
import { DenialLimiter } from './deniallimiter';

/** How many pages of MCP servers may run at once in a window. */
const LIVE_MAX = 3;

/** The MCP Apps notification of a call's result or cancellation; null while the call is queued or runs. */
export type ResultNotification = { method: string; params: object } | null;

/** The pages of MCP servers that show calls (MCP Apps): which pages run, and how each is displayed. */
export class Apps {
  /** Ids of the calls whose page runs, the most recently started last. */
  live = $state<string[]>([]);
  #modes = $state<Record<string, DisplayMode>>({});
  /** The id of the newest call with a page. */
  #newest = '';
  /** Ids of the calls whose page the person moved back into the conversation. */
  #movedBack = new Set<string>();
  #limiters = new Map<string, DenialLimiter>();
  /** Ids of the calls whose page the person closed. Only the person can open it again. */
  #closed = new Set<string>();

  constructor(private readonly actions: Actions) {}

  /** Shows a call's page at the person's request, and lets the pages of `server` ask again after denials. */
  show(call: string, server = ''): void {
    this.#closed.delete(call);
    this.#movedBack.delete(call);
    this.#limiters.delete(server);
    this.#activate(call);
  }

  /** Shows the page of the newest call, unless the person closed it. */
  offer(call: string): void {
    if (this.#closed.has(call)) return;
    this.#newest = call;
    this.#activate(call);
  }

  /** Starts a page. Over the limit it drops the oldest inline page, else the oldest, but never the newest call's. */
  #activate(call: string): void {
    if (this.live.includes(call)) return;
    this.live.push(call);
    while (this.live.length > LIVE_MAX) {
      const others = this.live.filter((one) => one !== call && one !== this.#newest);
      this.drop(others.find((one) => this.mode(one) === 'inline') ?? others[0]!);
    }
  }

  close(call: string): void {
    this.#closed.add(call);
    this.drop(call);
  }

  drop(call: string): void {
    if (!this.live.includes(call)) return;
    this.live = this.live.filter((one) => one !== call);
    delete this.#modes[call];
  }

  mode(call: string): DisplayMode {
    return this.#modes[call] ?? 'inline';
  }

  /** Changes the display mode at the person's request and returns it. One page can be fullscreen and one can float. */
  setMode(call: string, mode: DisplayMode): DisplayMode {
    if (!this.live.includes(call)) return 'inline';
    if (mode === 'inline') this.#movedBack.add(call);
    else this.#movedBack.delete(call);
    return this.#place(call, mode);
  }

  /** Changes the mode at the page's request, unless the person moved the page back. Returns the mode that applies. */
  askMode(call: string, mode: DisplayMode): DisplayMode {
    if (!this.live.includes(call)) return 'inline';
    return mode !== 'inline' && this.#movedBack.has(call) ? this.mode(call) : this.#place(call, mode);
  }

  #place(call: string, mode: DisplayMode): DisplayMode {
    if (mode !== 'inline') {
      for (const other of this.live) if (other !== call && this.mode(other) === mode) this.#modes[other] = 'inline';
    }
    this.#modes[call] = mode;
    return mode;
  }

  /** Returns the limiter that all pages of a server share. */
  denialLimiter(server: string): DenialLimiter {
    let found = this.#limiters.get(server);
    if (!found) this.#limiters.set(server, (found = new DenialLimiter()));
    return found;
  }

  page(call: CallView): Promise<ServerApp> {
    return this.actions.backend.apps.page(call.owner, call.tool);
  }

  /** Returns the notification that tells a call's page how the call ended; null while the call is queued or runs. */
  async outcome(call: CallView): Promise<ResultNotification> {
    if (call.status === 'queued' || call.status === 'running') return null;
    const result = (params: object) => ({ method: 'ui/notifications/tool-result', params });
    if (call.answerBlob) {
      try {
        return result(JSON.parse(await (await this.actions.backend.blob(call.answerBlob)).text()) as JsonObject);
      } catch {
        // Use the text of the result instead.
      }
    }
    const text = call.status === 'done' ? call.output : [call.error, call.suggestion].filter(Boolean).join(' ');
    if (call.status === 'done' || call.status === 'failed') {
      return result({ content: [{ type: 'text', text }], ...(call.status === 'failed' ? { isError: true } : {}) });
    }
    return { method: 'ui/notifications/tool-cancelled', params: { reason: call.reason || call.error || call.status } };
  }
}
