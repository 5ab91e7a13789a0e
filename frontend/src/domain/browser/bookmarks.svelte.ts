import type { Bookmark, StoredEvent } from '../../shared/api/types';
import { failureText, type Actions } from '../actions';

const BROWSER_PANEL = 'browser';
const ADD = 'browser_bookmark_add';
const REMOVE = 'browser_bookmark_remove';

/** The bookmarks. */
export class Bookmarks {
  list = $state.raw<Bookmark[]>([]);
  loaded = $state(false);
  failed = $state('');
  #asked = 0;

  constructor(private readonly actions: Actions) {}

  /** Reads the list; an outdated answer is dropped. */
  async load(): Promise<void> {
    const mine = ++this.#asked;
    try {
      const list = await this.actions.backend.files.bookmarks();
      if (mine !== this.#asked) return;
      this.list = list;
      this.loaded = true;
      this.failed = '';
    } catch (error) {
      if (mine === this.#asked) this.failed = failureText(error);
    }
  }

  has(url: string): boolean {
    return this.list.some((one) => one.url === url);
  }

  /** Adds a bookmark; errors are shown. */
  async add(url: string, title: string, note = ''): Promise<void> {
    await this.#do(ADD, { url, title: title.slice(0, 160), ...(note ? { note } : {}) });
  }

  /** Removes a bookmark; false when that failed. */
  async remove(url: string): Promise<boolean> {
    return this.#do(REMOVE, { url });
  }

  async #do(tool: string, args: Record<string, string>): Promise<boolean> {
    const result = await this.actions.run(tool, args, false, BROWSER_PANEL);
    await this.load();
    return result?.success ?? false;
  }

  onEvent(event: StoredEvent): void {
    if (!this.loaded || event.kind !== 'call.ended') return;
    const { tool } = event.data;
    // An undo may restore one.
    if (tool === ADD || tool === REMOVE || tool === 'undo') void this.load();
  }
}
