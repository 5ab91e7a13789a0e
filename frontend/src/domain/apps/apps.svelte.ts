import type { ServerApp } from '../../shared/api/types';
import type { Actions } from '../actions';
import type { DisplayMode, Values } from '../panels/pagehost';
import type { CallView } from '../store/state';
import { Restraint } from './restraint';

/** How many pages of MCP servers run at once in a window. */
const MOST = 3;

/** What a call came to, as its page is told: a method of MCP Apps and its params; null while it runs. */
export type Outcome = { method: string; params: object } | null;

/** The pages of MCP servers that show calls (MCP Apps): which run, and how each is shown. */
export class Apps {
  /** Calls whose page runs, the one shown last at the end. */
  live = $state<string[]>([]);
  #modes = $state<Record<string, DisplayMode>>({});
  /** The newest call with a page. */
  #newest = '';
  /** Calls whose page the person took back into the conversation. */
  #undone = new Set<string>();
  #restraints = new Map<string, Restraint>();
  /** Calls whose page the person closed: it does not come back by itself. */
  #closed = new Set<string>();

  constructor(private readonly actions: Actions) {}

  /** Shows a call's page, as the person asks: what they said no to before may be asked again. */
  show(call: string, server = ''): void {
    this.#closed.delete(call);
    this.#undone.delete(call);
    this.#restraints.delete(server);
    this.#run(call);
  }

  /** Shows the page of the newest call, unless the person closed it. */
  offer(call: string): void {
    if (this.#closed.has(call)) return;
    this.#newest = call;
    this.#run(call);
  }

  /** Of too many the one in the conversation shown first goes, and never the newest: it would come back. */
  #run(call: string): void {
    if (this.live.includes(call)) return;
    this.live.push(call);
    while (this.live.length > MOST) {
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

  /** Shows a page in another way, as the person says: one has the stage and one floats at a time. */
  setMode(call: string, mode: DisplayMode): DisplayMode {
    if (!this.live.includes(call)) return 'inline';
    if (mode === 'inline') this.#undone.add(call);
    else this.#undone.delete(call);
    return this.#place(call, mode);
  }

  /** The same as the page asks for it: it does not take again what the person took from it. */
  askMode(call: string, mode: DisplayMode): DisplayMode {
    if (!this.live.includes(call)) return 'inline';
    return mode !== 'inline' && this.#undone.has(call) ? this.mode(call) : this.#place(call, mode);
  }

  #place(call: string, mode: DisplayMode): DisplayMode {
    if (mode !== 'inline') {
      for (const other of this.live) if (other !== call && this.mode(other) === mode) this.#modes[other] = 'inline';
    }
    this.#modes[call] = mode;
    return mode;
  }

  /** What holds the pages of a server back from asking, shared by all of them. */
  restraint(server: string): Restraint {
    let found = this.#restraints.get(server);
    if (!found) this.#restraints.set(server, (found = new Restraint()));
    return found;
  }

  page(call: CallView): Promise<ServerApp> {
    return this.actions.backend.apps.page(call.owner, call.tool);
  }

  /** What a call came to, as its page is told. */
  async outcome(call: CallView): Promise<Outcome> {
    if (call.status === 'queued' || call.status === 'running') return null;
    const result = (params: object) => ({ method: 'ui/notifications/tool-result', params });
    if (call.answerBlob) {
      try {
        return result(JSON.parse(await (await this.actions.backend.blob(call.answerBlob)).text()) as Values);
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
