import { environmentTool } from '../../shared/api/navigation';
import type { MarkElement } from '../../shared/api/types';
import { t } from '../../shared/i18n';
import type { Actions } from '../actions';
import type { Conversations } from '../conversation/conversations.svelte';
import type { Layout } from '../layout.svelte';
import { NOTES_PANEL } from '../notes/notes.svelte';
import type { Toasts } from '../toasts.svelte';
import type { Browser } from './browser.svelte';

/** A rectangle of the page's view, in page pixels. */
export interface Region {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The space around an element in its picture, in page pixels. */
const MARGIN = 12;
const NAME_MAX = 80;
const TEXT_MAX = 20_000;

/** What the person points at on the page, and what can be done with it. */
export class Pointing {
  /** The element under the pointer when the menu opened; null for none. */
  element = $state.raw<MarkElement | null>(null);
  /** Whether the person is drawing a rectangle on the page. */
  drawing = $state(false);

  constructor(
    private readonly browser: Browser,
    private readonly conversations: Conversations,
    private readonly actions: Actions,
    private readonly layout: Layout,
    private readonly toasts: Toasts,
  ) {}

  /** Points at a place of the page, in page pixels, or at the annotation `id`. */
  at(x: number, y: number, id = 0): void {
    const inside = ({ box }: MarkElement) =>
      x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height;
    const area = ({ box }: MarkElement) => box.width * box.height;
    const shown = this.browser.marksShown ? (this.browser.marks?.elements ?? []) : [];
    const found = shown.filter((element) => element.in_view && inside(element)).sort((a, b) => area(a) - area(b));
    this.element = this.browser.element(id) ?? found[0] ?? null;
  }

  /** What the menu says is meant: "[12] Add to basket", or the page. */
  get label(): string {
    const { element } = this;
    return element ? `[${element.id}] ${element.name || element.role}` : (this.browser.tab?.title ?? '');
  }

  /** Attaches a picture of what is meant and begins a question about it. */
  async ask(): Promise<void> {
    const { element } = this;
    const text = element ? '' : await this.#selection();
    if (text) await this.#attachText(text);
    else if (!(await this.attachPicture())) return;
    const about = element ? t('point.about', { id: element.id }) : t(text ? 'point.selection' : 'point.picture');
    const { draft } = this.conversations;
    this.conversations.setDraft(draft.trim() ? `${draft.trimEnd()} ${about} ` : `${about} `);
    this.layout.open = true;
    document.querySelector<HTMLElement>('[data-surface="assistant"]')?.focus();
  }

  /** Attaches a picture of what is meant, or of `region`. Returns false when the page shows none. */
  async attachPicture(region?: Region): Promise<boolean> {
    const { element } = this;
    const box = region ?? (element ? grown(element.box) : undefined);
    const picture = await this.browser.live.picture(box);
    const origin = this.#origin();
    if (!picture || !origin) {
      this.toasts.error(t('point.none'));
      return false;
    }
    const what = region ? t('point.region') : element ? `[${element.id}] ${element.role} ${element.name}` : '';
    await this.conversations.attachments.addFile(`${nameOf(what || this.label)}.png`, picture, origin);
    this.layout.open = true;
    return true;
  }

  /** Copies the text of what is meant: the element's name and value, or the selection of the page. */
  async copyText(): Promise<void> {
    const text = await this.#text();
    if (!text) this.toasts.error(t('point.noText'));
    else await this.actions.copy(text);
  }

  /** Adds the text of what is meant to a note, with the address of the page. */
  async keep(): Promise<void> {
    const text = await this.#text();
    const tab = this.browser.tab;
    if (!text || !tab) {
      this.toasts.error(t('point.noText'));
      return;
    }
    const quote = text.split('\n').map((line) => `> ${line}`);
    const content = `${quote.join('\n')}\n\n${tab.url}\n`;
    const name = t('point.note');
    const result = await this.actions.run('notes_append', { name, content }, false, NOTES_PANEL);
    if (result?.success) this.toasts.ok(t('point.kept', { name }));
  }

  async #text(): Promise<string> {
    const { element } = this;
    if (!element) return this.#selection();
    return [element.name, element.value].filter(Boolean).join('\n');
  }

  async #selection(): Promise<string> {
    const result = await this.actions.run(environmentTool('selection'), {}, true);
    const { text } = (result?.result ?? {}) as { text?: string };
    return (text ?? '').trim().slice(0, TEXT_MAX);
  }

  #attachText(text: string): Promise<void> {
    const name = `${nameOf(t('point.selected', { title: this.browser.tab?.title ?? '' }))}.txt`;
    return this.conversations.attachments.addFile(name, new Blob([text]), this.#origin());
  }

  #origin(): string | undefined {
    const url = this.browser.tab?.url ?? '';
    return /^https?:/.test(url) ? new URL(url).origin : undefined;
  }
}

const grown = ({ x, y, width, height }: Region): Region => ({
  x: x - MARGIN,
  y: y - MARGIN,
  width: width + 2 * MARGIN,
  height: height + 2 * MARGIN,
});

/** Makes the name of a file of text from a page. */
const nameOf = (text: string) =>
  [
    ...text
      .replace(/[\\/]+/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  ]
    .slice(0, NAME_MAX)
    .join('');
