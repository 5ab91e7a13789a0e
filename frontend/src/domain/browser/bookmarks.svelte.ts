import type { Bookmark, StoredEvent } from '../../shared/api/types';
import { failureText, type Actions } from '../actions';

/** The panel whose tools keep and remove. */
const BROWSER_PANEL = 'browser';
const KEEP = 'browser_bookmark_add';
const REMOVE = 'browser_bookmark_remove';

/** The pages that were kept, by a person's star or the assistant's call. */
export class Bookmarks {
  list = $state.raw<Bookmark[]>([]);
  loaded = $state(false);
  failed = $state('');
  #asked = 0;

  constructor(private readonly actions: Actions) {}

  /** Reads the list; of two that were asked for the later one counts. */
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

  /** Keeps a page; what is wrong with it is told. */
  async keep(url: string, title: string, note = ''): Promise<void> {
    await this.#do(KEEP, { url, title: title.slice(0, 160), ...(note ? { note } : {}) });
  }

  /** Removes one; false when it is still there. */
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
    // An undo brings one back.
    if (tool === KEEP || tool === REMOVE || tool === 'undo') void this.load();
  }
}
