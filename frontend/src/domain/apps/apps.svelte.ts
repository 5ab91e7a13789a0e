import type { ServerApp } from '../../shared/api/apps';
import type { Actions } from '../actions';
import type { DisplayMode, Values } from '../panels/pagehost';
import type { CallView } from '../store/state';

/** How many pages of MCP servers run at once in a window. */
const MOST = 3;

/** What a call came to, as its page is told: a method of MCP Apps and its params; null while it runs. */
export type Outcome = { method: string; params: object } | null;

/** The pages of MCP servers that show calls (MCP Apps): which run, and how each is shown. */
export class Apps {
  /** Calls whose page runs, the one shown last at the end. */
  live = $state<string[]>([]);
  #modes = $state<Record<string, DisplayMode>>({});
  /** Calls whose page the person closed: it does not come back by itself. */
  #closed = new Set<string>();

  constructor(private readonly actions: Actions) {}

  /** Shows a call's page where it does not run; of too many the one in the conversation shown first goes. */
  show(call: string): void {
    this.#closed.delete(call);
    if (this.live.includes(call)) return;
    this.live.push(call);
    while (this.live.length > MOST) {
      const first = this.live.find((one) => one !== call && this.mode(one) === 'inline') ?? this.live[0]!;
      this.drop(first);
    }
  }

  /** Shows the page of a new call, unless the person closed it. */
  offer(call: string): void {
    if (!this.#closed.has(call)) this.show(call);
  }

  close(call: string): void {
    this.#closed.add(call);
    this.drop(call);
  }

  drop(call: string): void {
    this.live = this.live.filter((one) => one !== call);
    delete this.#modes[call];
  }

  mode(call: string): DisplayMode {
    return this.#modes[call] ?? 'inline';
  }

  /** Shows a page in another way: one has the stage and one floats at a time. */
  setMode(call: string, mode: DisplayMode): DisplayMode {
    if (!this.live.includes(call)) return 'inline';
    if (mode !== 'inline') {
      for (const other of this.live) if (other !== call && this.mode(other) === mode) this.#modes[other] = 'inline';
    }
    this.#modes[call] = mode;
    return mode;
  }

  /** What has the stage gives it back. */
  clearStage(): void {
    for (const call of this.live) if (this.mode(call) === 'fullscreen') this.#modes[call] = 'inline';
  }

  page(call: CallView): Promise<ServerApp> {
    return this.actions.backend.apps.page(call.owner, call.tool);
  }

  /** What a call came to, as its page is told. */
  async outcome(call: CallView): Promise<Outcome> {
    if (call.status === 'queued' || call.status === 'running') return null;
    const result = (params: object) => ({ method: 'ui/notifications/tool-result', params });
    if (call.answer) {
      try {
        return result(JSON.parse(await (await this.actions.backend.blob(call.answer)).text()) as Values);
      } catch {
        // What is left of it is its text.
      }
    }
    const text = call.status === 'done' ? call.output : [call.error, call.suggestion].filter(Boolean).join(' ');
    if (call.status === 'done' || call.status === 'failed') {
      return result({ content: [{ type: 'text', text }], ...(call.status === 'failed' ? { isError: true } : {}) });
    }
    return { method: 'ui/notifications/tool-cancelled', params: { reason: call.reason || call.error || call.status } };
  }
}
