import type { Backend } from '../../shared/api/backend';
import type { Terminal, TerminalUpdate } from '../../shared/api/types';
import type { TerminalLink } from '../../shared/api/terminals';

/** Delays between reconnects in seconds; the last one repeats. */
const RETRY_DELAYS = [1, 2, 4, 8];

/** Draws the output of a terminal. */
export interface TerminalScreen {
  /** Clears the screen; the next `replay` bytes are earlier output. */
  reset(replay: number): void;
  /** Draws output, and calls `drawn` when that is done. */
  write(bytes: Uint8Array, drawn: () => void): void;
}

/** The tabs of the terminal panel. The terminals run in the program, which replays their earlier output to a screen. */
export class Terminals {
  tabs = $state.raw<Terminal[]>([]);
  chosen = $state(0);
  connected = $state(false);
  /** The last error that the program reported; "" again after a tab is chosen, opened or started again. */
  problem = $state('');
  /** Whether the list of tabs has arrived. */
  known = $state(false);

  #link: TerminalLink | null = null;
  #screen: { tab: number; screen: TerminalScreen } | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #tries = 0;
  #open = false;
  #size = { columns: 80, rows: 24 };

  constructor(private readonly backend: Backend) {}

  get tab(): Terminal | undefined {
    return this.tabs.find((tab) => tab.tab === this.chosen);
  }

  /** Connects to the program and stays connected until the returned function is called. */
  watch(): () => void {
    this.#open = true;
    this.#connect();
    return () => {
      this.#open = false;
      clearTimeout(this.#timer);
      this.#link?.close();
      this.#link = null;
      this.connected = false;
    };
  }

  #connect(): void {
    const link = this.backend.terminals({
      update: (update) => link === this.#link && this.#receive(update),
      output: (tab, bytes) => {
        if (link !== this.#link) return;
        const to = this.#screen?.tab === tab ? this.#screen.screen : null;
        const drawn = () => link.send({ kind: 'drawn', tab, bytes: bytes.length });
        if (to) to.write(bytes, drawn);
        else drawn();
      },
      closed: () => {
        if (link !== this.#link) return;
        this.#link = null;
        this.connected = false;
        if (!this.#open) return;
        this.#timer = setTimeout(
          () => this.#connect(),
          (RETRY_DELAYS[Math.min(this.#tries++, RETRY_DELAYS.length - 1)] ?? 8) * 1000,
        );
      },
    });
    this.#link = link;
  }

  #receive(update: TerminalUpdate): void {
    if (update.kind === 'error') {
      this.problem = update.error ?? '';
      return;
    }
    if (update.kind === 'tabs') {
      const fresh = !this.connected;
      this.connected = true;
      this.known = true;
      this.#tries = 0;
      this.#setTabs(update.tabs);
      if (fresh && this.#screen) this.#link?.send({ kind: 'watch', tab: this.#screen.tab });
    }
    if (update.kind === 'opened' && update.tab) this.choose(update.tab);
    if (update.kind === 'watching' && update.tab === this.#screen?.tab) this.#screen?.screen.reset(update.bytes ?? 0);
  }

  #setTabs(tabs: Terminal[]): void {
    const before = this.tabs;
    this.tabs = tabs;
    if (tabs.some((tab) => tab.tab === this.chosen)) return;
    // When the chosen tab was closed, choose its neighbor.
    const at = before.findIndex((tab) => tab.tab === this.chosen);
    this.chosen = (tabs[Math.min(Math.max(at, 0), tabs.length - 1)] ?? { tab: 0 }).tab;
  }

  choose(tab: number): void {
    this.chosen = tab;
    this.problem = '';
  }

  /** Draws the output of a tab on `screen` until the returned function is called. */
  show(tab: number, screen: TerminalScreen): () => void {
    if (this.#screen && this.#screen.tab !== tab) this.#link?.send({ kind: 'leave', tab: this.#screen.tab });
    const shown = { tab, screen };
    this.#screen = shown;
    this.#link?.send({ kind: 'watch', tab });
    return () => {
      if (this.#screen !== shown) return;
      this.#screen = null;
      this.#link?.send({ kind: 'leave', tab });
    };
  }

  open(): void {
    this.problem = '';
    this.#link?.send({ kind: 'open', ...this.#size });
  }

  stop(tab: number): void {
    this.#link?.send({ kind: 'stop', tab });
  }

  restart(tab: number): void {
    this.problem = '';
    this.#link?.send({ kind: 'again', tab });
  }

  close(tab: number): void {
    this.#link?.send({ kind: 'close', tab });
  }

  share(tab: number, shared: boolean): void {
    this.#link?.send({ kind: 'share', tab, shared });
  }

  type(tab: number, text: string): void {
    this.#link?.type(tab, text);
  }

  resize(tab: number, columns: number, rows: number): void {
    this.#size = { columns, rows };
    this.#link?.send({ kind: 'resize', tab, columns, rows });
  }
}
