import type { ServerApp } from '../../shared/api/types';
import type { Actions } from '../actions';
import type { DisplayMode, Values } from '../panels/pagehost';
import type { CallView } from '../store/state';
import { DenialLimiter } from './deniallimiter';

/** How many pages of MCP servers run at once in a window. */
const LIVE_MAX = 3;

/** The notification of MCP Apps with the result of a call; null while it runs. */
export type Outcome = { method: string; params: object } | null;

/** The pages of MCP servers that show calls (MCP Apps): which are live, and how each is displayed. */
export class Apps {
  /** Calls whose page is live, the last shown at the end. */
  live = $state<string[]>([]);
  #modes = $state<Record<string, DisplayMode>>({});
  /** The newest call with a page. */
  #newest = '';
  /** Calls whose page the person moved back into the conversation. */
  #movedBack = new Set<string>();
  #limiters = new Map<string, DenialLimiter>();
  /** Calls whose page the person closed; only the person opens it again. */
  #closed = new Set<string>();

  constructor(private readonly actions: Actions) {}

  /** Shows a call's page for the person, and lets the server's pages ask again. */
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

  /** Makes a page live. The oldest inline page makes room, never the newest call's, which would be shown again. */
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

  /** Changes the display mode for the person. One page at a time is fullscreen, and one floats. */
  setMode(call: string, mode: DisplayMode): DisplayMode {
    if (!this.live.includes(call)) return 'inline';
    if (mode === 'inline') this.#movedBack.add(call);
    else this.#movedBack.delete(call);
    return this.#place(call, mode);
  }

  /** Changes the display mode for the page, unless the person moved the page back before. */
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

  /** The limiter that all pages of a server share. */
  denialLimiter(server: string): DenialLimiter {
    let found = this.#limiters.get(server);
    if (!found) this.#limiters.set(server, (found = new DenialLimiter()));
    return found;
  }

  page(call: CallView): Promise<ServerApp> {
    return this.actions.backend.apps.page(call.owner, call.tool);
  }

  /** The result of a call for its page. */
  async outcome(call: CallView): Promise<Outcome> {
    if (call.status === 'queued' || call.status === 'running') return null;
    const result = (params: object) => ({ method: 'ui/notifications/tool-result', params });
    if (call.answerBlob) {
      try {
        return result(JSON.parse(await (await this.actions.backend.blob(call.answerBlob)).text()) as Values);
      } catch {
        // Fall back to the text of the result.
      }
    }
    const text = call.status === 'done' ? call.output : [call.error, call.suggestion].filter(Boolean).join(' ');
    if (call.status === 'done' || call.status === 'failed') {
      return result({ content: [{ type: 'text', text }], ...(call.status === 'failed' ? { isError: true } : {}) });
    }
    return { method: 'ui/notifications/tool-cancelled', params: { reason: call.reason || call.error || call.status } };
  }
}
