import { FitAddon } from '@xterm/addon-fit';
import { Terminal, type ILink, type ITheme } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import type { TerminalScreen } from '../../../domain/terminals/terminals.svelte';

/** The label of an XtermScreen, and the handlers of its events. */
export interface ScreenHandlers {
  label: string;
  type(text: string): void;
  resize(columns: number, rows: number): void;
  title(text: string): void;
  /** Called when a link is clicked. The panel asks before it opens the address. */
  follow(address: string): void;
  /** Called with the address when the pointer enters a link, and with "" when it leaves. */
  point(address: string): void;
  copy(text: string): void;
}

/** Replies that a terminal sends to queries of a program: device attributes, cursor position, colors, modes. */
// eslint-disable-next-line no-control-regex
const REPORT = /^\u001b(\[[?>=]?[\d;]*\$?[cRntyx]|P|\])/;
const SCROLLBACK = 10_000;
const ADDRESS = /https?:\/\/[^\s"'<>`]+[^\s"'<>`.,;:!?)\]}]/g;

/** A terminal that xterm.js draws. */
export class XtermScreen implements TerminalScreen {
  readonly #term: Terminal;
  readonly #fit = new FitAddon();
  readonly #host: HTMLElement;
  readonly #sizes: ResizeObserver;
  readonly #themes: MutationObserver;
  #replay = 0;

  constructor(host: HTMLElement, handlers: ScreenHandlers) {
    this.#host = host;
    const style = getComputedStyle(host);
    this.#term = new Terminal({
      fontFamily: style.getPropertyValue('--mono'),
      fontSize: 12.5,
      lineHeight: 1.25,
      scrollback: SCROLLBACK,
      cursorBlink: !matchMedia('(prefers-reduced-motion: reduce)').matches,
      theme: this.#colors(),
      minimumContrastRatio: 4.5,
      screenReaderMode: false,
      // The address of a link comes from a program, so it is shown before it is opened.
      linkHandler: {
        activate: (_, address) => handlers.follow(address),
        hover: (_, address) => handlers.point(address),
        leave: () => handlers.point(''),
      },
    });
    this.#term.loadAddon(this.#fit);
    this.#guard(handlers);
    this.#term.registerLinkProvider({
      provideLinks: (line, done) => done(this.#links(line, handlers)),
    });
    this.#term.open(host);
    this.#term.textarea?.setAttribute('aria-label', handlers.label);
    this.#term.textarea?.setAttribute('data-first', '');
    this.#term.onData((text) => {
      // Replies to queries in replayed output are dropped, because the queries were answered before. Keys are not.
      if (this.#replay <= 0 || !REPORT.test(text)) handlers.type(text);
    });
    this.#term.onResize(({ cols, rows }) => handlers.resize(cols, rows));
    this.#sizes = new ResizeObserver(() => this.fit());
    this.#sizes.observe(host);
    this.#themes = new MutationObserver(() => (this.#term.options.theme = this.#colors()));
    this.#themes.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    this.fit();
    handlers.resize(this.#term.cols, this.#term.rows);
  }

  /** Blocks actions that programs and scripts must not perform, and handles the copy keys. */
  #guard(handlers: ScreenHandlers): void {
    // Programs must not read or write the clipboard (52), or read, set or reset colors (the others).
    for (const code of [52, 4, 10, 11, 12, 104, 110, 111, 112]) this.#term.parser.registerOscHandler(code, () => true);
    this.#term.onTitleChange((title) => handlers.title(title));
    this.#term.attachCustomKeyEventHandler((event) => {
      if (event.key === 'F6' || event.key === 'F8') return false;
      if (event.ctrlKey && event.shiftKey && event.code === 'KeyC') {
        if (event.type === 'keydown' && this.#term.hasSelection()) handlers.copy(this.#term.getSelection());
        event.preventDefault();
        return false;
      }
      return !(event.ctrlKey && event.shiftKey);
    });
    // Only trusted events are handled, so that a script cannot type by dispatching events.
    for (const type of ['keydown', 'keypress', 'keyup', 'beforeinput', 'input', 'paste', 'drop', 'compositionend']) {
      this.#host.addEventListener(
        type,
        (event) => {
          if (event.isTrusted) return;
          event.stopImmediatePropagation();
          event.preventDefault();
        },
        true,
      );
    }
  }

  #links(line: number, handlers: ScreenHandlers): ILink[] | undefined {
    const text = this.#term.buffer.active.getLine(line - 1)?.translateToString(true) ?? '';
    const found = [...text.matchAll(ADDRESS)].map((match) => ({
      text: match[0],
      range: { start: { x: match.index + 1, y: line }, end: { x: match.index + match[0].length, y: line } },
      activate: () => handlers.follow(match[0]),
      hover: () => handlers.point(match[0]),
      leave: () => handlers.point(''),
    }));
    return found.length ? found : undefined;
  }

  #colors(): ITheme {
    const style = getComputedStyle(this.#host);
    const of = (name: string) => style.getPropertyValue(`--${name}`).trim();
    return {
      background: of('well'),
      foreground: of('text-primary'),
      cursor: of('text-primary'),
      cursorAccent: of('well'),
      selectionBackground: of('line-strong'),
      black: of('term-black'),
      red: of('danger'),
      green: of('ok'),
      yellow: of('accent-text'),
      blue: of('outside'),
      magenta: of('term-magenta'),
      cyan: of('term-cyan'),
      white: of('text-secondary'),
      brightBlack: of('text-muted'),
      brightRed: of('danger'),
      brightGreen: of('ok'),
      brightYellow: of('warn'),
      brightBlue: of('outside'),
      brightMagenta: of('term-magenta'),
      brightCyan: of('term-cyan'),
      brightWhite: of('text-primary'),
    };
  }

  fit(): void {
    if (this.#host.clientWidth > 40 && this.#host.clientHeight > 20) this.#fit.fit();
  }

  reset(replay: number): void {
    this.#term.reset();
    this.#replay = replay;
  }

  write(bytes: Uint8Array, drawn: () => void): void {
    this.#term.write(bytes, () => {
      this.#replay -= bytes.length;
      drawn();
    });
  }

  paste(text: string): void {
    this.#term.paste(text);
    this.#term.focus();
  }

  focus(): void {
    this.#term.focus();
  }

  dispose(): void {
    this.#sizes.disconnect();
    this.#themes.disconnect();
    this.#term.dispose();
  }
}
