import type { Bookmark, StoredEvent } from '../../shared/api/types';
import type { Actions } from '../actions';
import { RemoteValue } from '../remotevalue.svelte';

export const BROWSER_PANEL = 'browser';
const ADD = 'browser_bookmark_add';
const REMOVE = 'browser_bookmark_remove';

/** The bookmarks, newest first. */
export class Bookmarks extends RemoteValue<Bookmark[]> {
  constructor(actions: Actions) {
    super(actions, () => actions.backend.files.bookmarks());
  }

  get list(): Bookmark[] {
    return this.value ?? [];
  }

  has(url: string): boolean {
    return this.list.some((one) => one.url === url);
  }

  /** Adds a bookmark. Errors are shown. */
  async add(url: string, title: string, note = ''): Promise<void> {
    await this.#do(ADD, { url, title: title.slice(0, 160), ...(note ? { note } : {}) });
  }

  /** Removes a bookmark. Returns false when that failed. */
  async remove(url: string): Promise<boolean> {
    return this.#do(REMOVE, { url });
  }

  async #do(tool: string, args: Record<string, string>): Promise<boolean> {
    const result = await this.actions.run(tool, args, false, BROWSER_PANEL);
    await this.read();
    return result?.success ?? false;
  }

  onEvent(event: StoredEvent): void {
    if (!this.loaded || event.kind !== 'call.ended') return;
    const { tool } = event.data;
    // Undo may restore a bookmark.
    if (tool === ADD || tool === REMOVE || tool === 'undo') void this.read();
  }
}
