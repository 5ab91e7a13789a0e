import type { Backend } from '../../shared/api/backend';
import type { TerminalLink } from '../../shared/api/terminals';
import type { Terminal, TerminalNews } from '../../shared/api/types';

/** Waits between tries to connect again, in seconds; the last one repeats. */
const WAITS = [1, 2, 4, 8];

/** What draws a terminal. */
export interface Screen {
  /** Begins anew: the first `replay` bytes that follow were printed before. */
  reset(replay: number): void;
  /** Draws output; `drawn` is called once it stands on the screen. */
  write(bytes: Uint8Array, drawn: () => void): void;
}

/**
 * The tabs of the terminal panel. They live in the program: a tab that is shown again is drawn from
 * what it printed before. While the panel is open one screen watches the tab that is chosen.
 */
export class Terminals {
  tabs = $state.raw<Terminal[]>([]);
  chosen = $state(0);
  connected = $state(false);
  /** What the program said went wrong last, until something works. */
  problem = $state('');
  /** Whether the list of tabs was ever told. */
  known = $state(false);

  #link: TerminalLink | null = null;
  #screen: { tab: number; screen: Screen } | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #tries = 0;
  #open = false;
  #size = { columns: 80, rows: 24 };

  constructor(private readonly backend: Backend) {}

  get tab(): Terminal | undefined {
    return this.tabs.find((tab) => tab.tab === this.chosen);
  }

  /** Connects for as long as the panel is shown; the returned function lets go. */
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
      news: (news) => link === this.#link && this.#hear(news),
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
        this.#timer = setTimeout(() => this.#connect(), (WAITS[Math.min(this.#tries++, WAITS.length - 1)] ?? 8) * 1000);
      },
    });
    this.#link = link;
  }

  #hear(news: TerminalNews): void {
    if (news.kind === 'error') {
      this.problem = news.error ?? '';
      return;
    }
    if (news.kind === 'tabs') {
      const fresh = !this.connected;
      this.connected = true;
      this.known = true;
      this.#tries = 0;
      this.#took(news.tabs);
      if (fresh && this.#screen) this.#link?.send({ kind: 'watch', tab: this.#screen.tab });
    }
    if (news.kind === 'opened' && news.tab) this.choose(news.tab);
    if (news.kind === 'watching' && news.tab === this.#screen?.tab) this.#screen?.screen.reset(news.bytes ?? 0);
  }

  #took(tabs: Terminal[]): void {
    const before = this.tabs;
    this.tabs = tabs;
    if (tabs.some((tab) => tab.tab === this.chosen)) return;
    // The neighbour of a tab that went takes its place.
    const at = before.findIndex((tab) => tab.tab === this.chosen);
    this.chosen = (tabs[Math.min(Math.max(at, 0), tabs.length - 1)] ?? { tab: 0 }).tab;
  }

  choose(tab: number): void {
    this.chosen = tab;
    this.problem = '';
  }

  /** Draws a tab until the returned function is called. */
  show(tab: number, screen: Screen): () => void {
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

  again(tab: number): void {
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
