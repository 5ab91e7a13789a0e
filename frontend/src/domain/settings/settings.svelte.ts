import { failureText, type Actions } from '../actions';
import type { Store } from '../store/store.svelte';

/** How freely the assistant works, from least to most. */
export const MODES = ['read-only', 'ask', 'workspace', 'full'] as const;
export type Mode = (typeof MODES)[number];

export const THEMES = ['dark', 'light', 'system'] as const;
export type Theme = (typeof THEMES)[number];

const LOOKS = 'sextant.theme';

/** Settings that are changed in the window: mode, theme, model and the service's address. */
export class Settings {
  readonly #seeing: { [what: string]: ReturnType<typeof setTimeout> } = {};

  constructor(
    private readonly store: Store,
    private readonly actions: Actions,
  ) {}

  value(key: string): string {
    return this.store.state.settings[key]?.value ?? '';
  }

  /** What outside of the window sets it, "" when the window may: a flag, the environment, the file. */
  fixed(key: string): 'flag' | 'environment' | 'file' | '' {
    const source = this.store.state.settings[key]?.source;
    return source === 'flag' || source === 'environment' || source === 'file' ? source : '';
  }

  get mode(): Mode {
    return MODES.find((mode) => mode === this.value('mode')) ?? 'ask';
  }

  get theme(): Theme {
    return THEMES.find((theme) => theme === this.value('theme')) ?? 'system';
  }

  /**
   * What a window showed last, wherever it is opened next: a served window has another address after
   * each start, and with it another local storage.
   */
  seen(what: 'conversation' | 'layout'): string {
    return localStorage.getItem(`sextant.${what}`) ?? this.value(`view.${what}`);
  }

  /** Keeps it; that it cannot be kept spoils nothing that is shown. */
  see(what: 'conversation' | 'layout', value: string): void {
    localStorage.setItem(`sextant.${what}`, value);
    clearTimeout(this.#seeing[what]);
    this.#seeing[what] = setTimeout(
      () => void this.actions.backend.setting(`view.${what}`, value).catch(() => {}),
      500,
    );
  }

  async set(key: string, value: string): Promise<boolean> {
    return this.actions.ask(
      this.actions.backend.setting(key, value).then((setting) => this.store.apply({ is: 'setting', setting })),
    );
  }

  async reset(key: string): Promise<boolean> {
    return this.actions.ask(
      this.actions.backend.resetSetting(key).then((setting) => this.store.apply({ is: 'setting', setting })),
    );
  }

  /** Sets a value; what is wrong with it comes back as a sentence, "" when it is in force. */
  async trySet(key: string, value: string): Promise<string> {
    try {
      this.store.apply({ is: 'setting', setting: await this.actions.backend.setting(key, value) });
      return '';
    } catch (error) {
      return failureText(error);
    }
  }

  nextTheme(): void {
    const at = THEMES.indexOf(this.theme);
    void this.set('theme', THEMES[(at + 1) % THEMES.length] ?? 'system');
  }
}

/** Puts a theme on the document and remembers it, so that the next start has it at once. */
export function wearTheme(theme: Theme): void {
  const light = theme === 'system' && matchMedia('(prefers-color-scheme: light)').matches;
  document.documentElement.dataset.theme = theme === 'light' || light ? 'light' : 'dark';
  localStorage.setItem(LOOKS, theme);
}

/** The theme worn last, for the moment before the settings are read. */
export function lastTheme(): Theme {
  return THEMES.find((theme) => theme === localStorage.getItem(LOOKS)) ?? 'system';
}
