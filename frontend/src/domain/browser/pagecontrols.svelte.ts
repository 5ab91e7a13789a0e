import type { Clipboard, Found, PagePoint, Picker, StoredEvent } from '../../shared/api/types';
import { t } from '../../shared/i18n';
import type { Actions } from '../actions';
import type { DroppedFile } from '../conversation/droppedfiles';
import type { Toasts } from '../toasts.svelte';
import type { Browser } from './browser.svelte';

/** The steps of the zoom, in percent. */
const ZOOM_STEPS = [25, 33, 50, 67, 75, 80, 90, 100, 110, 125, 150, 175, 200, 250, 300, 400, 500];
const FIND_DELAY_MS = 150;
/** How long after an answer the event with the new state may come. */
const STATE_DELAY_MS = 500;

/** What the person needs to use the page through its picture: the cursor, lists, the clipboard, find and zoom. */
export class PageControls {
  /** What is under the person's mouse; null when that is not known. */
  point = $state.raw<PagePoint | null>(null);
  /** The list or picker that is open on the page, null for none. */
  picker = $state.raw<Picker | null>(null);
  finding = $state(false);
  /** Whether files are being given to the page. */
  giving = $state(false);
  query = $state('');
  /** The result of the search for `query`, null while there is none. */
  found = $state.raw<Found | null>(null);
  /** The zoom that is being set, with its end. */
  #zooming: { tab: number | undefined; percent: number; done: Promise<void> } | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Counts the searches, because an answer may come after that of a later one. */
  #searches = 0;

  constructor(
    private readonly browser: Browser,
    private readonly actions: Actions,
    private readonly toasts: Toasts,
  ) {}

  onEvent(event: StoredEvent): void {
    switch (event.kind) {
      case 'page.pointed':
        if (event.data.tab === this.browser.state.active) this.point = event.data;
        break;
      case 'picker.opened':
        if (event.data.tab === this.browser.state.active) this.picker = event.data;
        break;
      case 'page.copied':
        if (document.hasFocus()) void this.#takeCopied();
    }
  }

  /** Forgets what belongs to the page that was shown. */
  leave(): void {
    this.point = this.picker = null;
    this.closeFind();
  }

  choose(selected: number, value = ''): void {
    const { picker } = this;
    this.picker = null;
    if (picker) void this.actions.attempt(this.actions.backend.pickOnPage(picker.id, selected, value));
  }

  /** Pastes into the field of the page that has the focus. */
  async paste(content: { text?: string; html?: string; picture?: Blob }): Promise<void> {
    const sent: Clipboard = {};
    if (content.text) sent.text = content.text;
    if (content.html) sent.html = content.html;
    if (content.picture) sent.png = await base64(await asPNG(content.picture));
    if (!sent.text && !sent.html && !sent.png) return;
    await this.actions.attempt(this.actions.backend.pasteIntoPage(sent));
  }

  /** Gives files to the page's open file chooser, or with `at`, a point of the page, drops them there. */
  async giveFiles(files: DroppedFile[], at?: { x: number; y: number }): Promise<void> {
    this.giving = true;
    const { backend } = this.actions;
    const stored = Promise.all(files.map(({ name, content }) => backend.storePageFile(name, content)));
    await this.actions.attempt(stored.then((ids) => backend.givePageFiles(ids, at)));
    this.giving = false;
  }

  /** Drops stored files at a point of the page. */
  async giveStored(ids: string[], at: { x: number; y: number }): Promise<void> {
    await this.actions.attempt(this.actions.backend.givePageFiles(ids, at));
  }

  /** Pastes a picture that the program has taken from the system's clipboard. */
  async pasteStored(blob: string): Promise<void> {
    await this.actions.attempt(this.actions.backend.blob(blob).then((picture) => this.paste({ picture })));
  }

  /** Pastes what is on the system's clipboard, if the window may read it. */
  async pasteFromSystem(): Promise<void> {
    try {
      await this.paste({ text: await navigator.clipboard.readText() });
    } catch {
      this.toasts.error(t('page.paste.denied'));
    }
  }

  /** Copies or cuts the selection of the page, as Ctrl C or Ctrl X does. */
  copy(cut = false): void {
    const key = cut ? 'x' : 'c';
    const input = { key, code: `Key${key.toUpperCase()}`, modifiers: 2 };
    this.browser.sendInput({ type: 'keydown', ...input });
    this.browser.sendInput({ type: 'keyup', ...input });
  }

  get zoom(): number {
    return this.browser.tab?.zoom || 100;
  }

  /** Zooms in (by = 1) or out (by = -1) by a step, or back to 100 % (by = 0). */
  zoomBy(by: 1 | 0 | -1): void {
    const tab = this.browser.tab?.id;
    // The state of the tab comes later than another press.
    const now = this.#zooming?.tab === tab ? this.#zooming!.percent : this.zoom;
    const next =
      by === 0 ? 100 : by > 0 ? ZOOM_STEPS.find((step) => step > now) : ZOOM_STEPS.findLast((step) => step < now);
    if (!next || next === now) return;
    const zooming = { tab, percent: next, done: this.#zooming?.done ?? Promise.resolve() };
    this.#zooming = zooming;
    zooming.done = zooming.done
      .then(() => this.actions.attempt(this.actions.backend.zoomPage(next)))
      .then(() => {
        setTimeout(() => {
          if (this.#zooming === zooming) this.#zooming = null;
        }, STATE_DELAY_MS);
      });
  }

  /** Searches for what is typed, after a pause. */
  type(query: string): void {
    this.query = query;
    this.found = null;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#find(-1, true), FIND_DELAY_MS);
  }

  /** Shows the next match (by = 1) or the previous one (by = -1). */
  step(by: 1 | -1): void {
    const { found } = this;
    if (!found?.count) {
      if (this.query) void this.#find(-1, true);
      return;
    }
    void this.#find((found.current + by + found.count) % found.count, true);
  }

  /** Updates the marks of the matches after the page was scrolled or resized. */
  refreshFound(): void {
    const { found } = this;
    if (!this.finding || !found?.count) return;
    this.found = { ...found, boxes: [] };
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#find(found.current, false), FIND_DELAY_MS);
  }

  closeFind(): void {
    clearTimeout(this.#timer);
    this.#searches++;
    this.finding = false;
    this.found = null;
  }

  async #find(show: number, scroll: boolean): Promise<void> {
    const text = this.query.trim();
    const search = ++this.#searches;
    if (!text) {
      this.found = null;
      return;
    }
    try {
      const found = await this.actions.backend.findInPage(text, show, scroll);
      if (search === this.#searches) this.found = found;
    } catch {
      // The page does not answer or was left; the next key searches again.
      if (search === this.#searches) this.found = null;
    }
  }

  async #takeCopied(): Promise<void> {
    try {
      const { text, html, png } = await this.actions.backend.copiedOnPage();
      const parts: Record<string, Blob> = {};
      if (text) parts['text/plain'] = new Blob([text], { type: 'text/plain' });
      if (html) parts['text/html'] = new Blob([html], { type: 'text/html' });
      if (png) parts['image/png'] = await (await fetch(`data:image/png;base64,${png}`)).blob();
      if (Object.keys(parts).length) await navigator.clipboard.write([new ClipboardItem(parts)]);
    } catch {
      this.toasts.error(t('page.copy.failed'));
    }
  }
}

/** Converts a picture to PNG, the only form in which browsers put pictures on the clipboard. */
async function asPNG(picture: Blob): Promise<Blob> {
  if (picture.type === 'image/png') return picture;
  const bitmap = await createImageBitmap(picture);
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [bitmap.width, bitmap.height];
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0);
  bitmap.close();
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no picture'))), 'image/png'),
  );
}

function base64(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onerror = () => reject(reader.error ?? new Error('unreadable'));
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.readAsDataURL(blob);
  });
}
