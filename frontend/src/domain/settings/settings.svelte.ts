import { failureText, type Actions } from '../actions';
import { parseShortcuts } from '../commands/shortcuts';
import type { Store } from '../store/store.svelte';

/** The modes, from the strictest to the most permissive. */
export const MODES = ['read-only', 'ask', 'workspace', 'full'] as const;
export type Mode = (typeof MODES)[number];

export const THEMES = ['dark', 'light', 'system'] as const;
export type Theme = (typeof THEMES)[number];

const THEME_KEY = 'sextant.theme';
const WELCOME_KEY = 'view.welcome';

/** Reads and changes settings. */
export class Settings {
  /** True while the person is asked whether the mode may become Full. */
  confirmingFull = $state(false);
  /** The section that the Settings panel shows next, "" for the one it shows. */
  requestedSection = $state('');
  /** What the search among all settings looks for next, "" for what it does. */
  requestedSearch = $state('');
  /** The section of the Settings panel that was shown last. */
  section = $state('limits');
  /** The shortcuts that the person chose by the ids of commands, "" for none. */
  readonly shortcuts = $derived(parseShortcuts(this.value('shortcuts')));
  /** The folders that were opened last, newest first. */
  readonly recentFolders = $derived(parseFolders(this.value('view.folders')));
  readonly #saving: { [what: string]: ReturnType<typeof setTimeout> } = {};

  constructor(
    private readonly store: Store,
    private readonly actions: Actions,
  ) {}

  value(key: string): string {
    return this.store.state.settings[key]?.value ?? '';
  }

  /** Returns the source that overrides a setting's value, "" when the person may change the value in the window. */
  overridingSource(key: string): 'flag' | 'environment' | 'file' | '' {
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
   * Returns the conversation or layout that a window showed last. The program saves it too, because each start of the
   * program changes the window's address and with it the local storage.
   */
  lastView(what: 'conversation' | 'layout'): string {
    return localStorage.getItem(`sextant.${what}`) ?? this.value(`view.${what}`);
  }

  /**
   * Saves the shown conversation or layout for `lastView`. A layout is saved when it has not changed for a while, a
   * conversation at once, because the program may quit. Failures are ignored.
   */
  saveView(what: 'conversation' | 'layout', value: string): void {
    localStorage.setItem(`sextant.${what}`, value);
    clearTimeout(this.#saving[what]);
    this.#saving[what] = setTimeout(
      () => void this.actions.backend.setting(`view.${what}`, value).catch(() => {}),
      what === 'layout' ? 500 : 0,
    );
  }

  /** True until `endWelcome` was called, in another window: before this one was loaded. */
  get welcome(): boolean {
    return this.value(WELCOME_KEY) !== 'over';
  }

  /** Ends the first steps for good. Failures are ignored: they are shown once more then. */
  endWelcome(): void {
    this.store.apply({ kind: 'setting', setting: { key: WELCOME_KEY, value: 'over', source: 'window' } });
    void this.actions.backend.setting(WELCOME_KEY, 'over').catch(() => {});
  }

  /** Changes the mode. Full is confirmed first. */
  async chooseMode(mode: Mode): Promise<void> {
    if (mode === this.mode) return;
    if (mode === 'full') this.confirmingFull = true;
    else await this.set('mode', mode);
  }

  async confirmFull(): Promise<void> {
    this.confirmingFull = false;
    await this.set('mode', 'full');
  }

  async set(key: string, value: string): Promise<boolean> {
    return this.actions.attempt(
      this.actions.backend.setting(key, value).then((setting) => this.store.apply({ kind: 'setting', setting })),
    );
  }

  async reset(key: string): Promise<boolean> {
    return this.actions.attempt(
      this.actions.backend.resetSetting(key).then((setting) => this.store.apply({ kind: 'setting', setting })),
    );
  }

  /** Sets a value. Returns the error as a sentence, "" on success. */
  async trySet(key: string, value: string): Promise<string> {
    try {
      this.store.apply({ kind: 'setting', setting: await this.actions.backend.setting(key, value) });
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

/** Applies a theme and saves it for `lastTheme`. */
export function applyTheme(theme: Theme): void {
  const light = theme === 'system' && matchMedia('(prefers-color-scheme: light)').matches;
  document.documentElement.dataset.theme = theme === 'light' || light ? 'light' : 'dark';
  localStorage.setItem(THEME_KEY, theme);
}

/** Returns the theme that was last applied, for use before the settings are read. */
export function lastTheme(): Theme {
  return THEMES.find((theme) => theme === localStorage.getItem(THEME_KEY)) ?? 'system';
}

function parseFolders(text: string): string[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter((folder) => typeof folder === 'string') : [];
  } catch {
    return [];
  }
}
