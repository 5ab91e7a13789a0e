import { environmentTool } from '../../shared/api/navigation';
import type { BrowserState, Input, MarkElement, Marks, Tab } from '../../shared/api/types';
import type { Actions } from '../actions';
import type { Session } from '../session/session.svelte';
import type { Settings } from '../settings/settings.svelte';
import type { Store } from '../store/store.svelte';
import { LiveView } from './live.svelte';

/** How long a mark shows that it was just acted on. */
const DONE_MS = 600;

/** The controlled browser: tabs, address, the hand on it, and the numbers on its page. */
export class Browser {
  readonly live: LiveView;
  /** The mark a pointer or the list is on, 0 for none. */
  hovered = $state(0);
  /** Marks that were just acted on. */
  done = $state(0);
  starting = $state(false);
  /** Scrolled by hand since the newest look: the numbers wait for the next one. */
  #scrolled = $state(-1);

  constructor(
    private readonly store: Store,
    private readonly actions: Actions,
    private readonly session: Session,
    private readonly settings: Settings,
  ) {
    this.live = new LiveView(session);
  }

  get state(): BrowserState {
    return this.store.state.browser;
  }

  get tab(): Tab | undefined {
    return this.state.tabs.find((tab) => tab.id === this.state.active);
  }

  /** Whether there is a page to show rather than an empty tab. */
  get hasPage(): boolean {
    const url = this.tab?.url ?? '';
    return url !== '' && url !== 'about:blank';
  }

  /** Who drives now, other than the person at this window; "" for nobody. */
  get driver(): string {
    const { driving } = this.state;
    return driving && driving !== 'person' ? driving : '';
  }

  /** The numbers of the page shown, null when they belong to another page or tab. */
  get marks(): Marks | null {
    const { marks } = this.store.state;
    if (!marks || marks.page.tab !== this.state.active) return null;
    return marks;
  }

  /** Rises with every look at the page. */
  get marksRevision(): number {
    return this.store.state.marksRevision;
  }

  /** Whether the numbers can be trusted to stand where they are drawn. */
  get marksShown(): boolean {
    const marks = this.marks;
    if (!marks?.on || this.settings.value('marks') === 'off') return false;
    return this.#scrolled !== this.store.state.marksRevision && sameDocument(marks.page.url, this.tab?.url ?? '');
  }

  /** The number the assistant, or a question that waits, is about to act on. */
  get next(): number {
    const asked = this.store.state.approvals.find((approval) => approval.annotation)?.annotation;
    if (asked) return asked;
    const { pointer } = this.store.state;
    return this.driver && pointer?.tab === this.state.active ? (pointer.target ?? 0) : 0;
  }

  element(id: number): MarkElement | undefined {
    return this.marks?.elements.find((element) => element.id === id);
  }

  navigate(text: string): Promise<unknown> {
    return this.actions.run(environmentTool('navigate'), { url: toAddress(text) });
  }

  step(action: 'back' | 'forward' | 'reload'): void {
    void this.actions.run(environmentTool('navigate'), { action });
  }

  openTab(url = ''): Promise<unknown> {
    return this.actions.run(environmentTool('tabs'), { action: 'open', ...(url ? { url: toAddress(url) } : {}) });
  }

  selectTab(tab: number): void {
    if (tab !== this.state.active) void this.actions.run(environmentTool('tabs'), { action: 'select', tab });
  }

  closeTab(tab = this.state.active): void {
    if (tab) void this.actions.run(environmentTool('tabs'), { action: 'close', tab });
  }

  /** Numbers the page; when numbers are shown already, hides them. */
  async annotate(): Promise<void> {
    if (this.marks?.on && this.settings.value('marks') !== 'off' && this.marks.elements.length) {
      await this.settings.set('marks', 'off');
      return;
    }
    if (this.settings.value('marks') === 'off') await this.settings.set('marks', 'on');
    await this.actions.run(environmentTool('annotate'), {});
  }

  async click(id: number): Promise<void> {
    const result = await this.actions.run(environmentTool('click'), { annotationId: id });
    if (result?.success) this.#flash(id);
  }

  /** Answers an open dialog of the page, with what it asks for. */
  answerDialog(accept: boolean, given: { text?: string; username?: string; password?: string } = {}): void {
    void this.actions.run(environmentTool('dialog'), { accept, ...given });
  }

  /** Stops a file that is on its way. */
  cancelDownload(id: number): void {
    void this.actions.run(environmentTool('downloads'), { action: 'cancel', id });
  }

  /** Makes pages believe they are on this device. */
  device(name: string): void {
    void this.actions.run('set_activity_bar_devices', { device: name });
  }

  hand(person: boolean): Promise<boolean> {
    return this.actions.ask(this.actions.backend.takeOver(person));
  }

  async start(): Promise<void> {
    this.starting = true;
    await this.actions.ask(this.actions.backend.startBrowser());
    this.starting = false;
  }

  /** A person's hand on the picture. */
  input(input: Input): void {
    if (input.type === 'wheel') this.#scrolled = this.store.state.marksRevision;
    this.session.send({ v: 1, kind: 'input', tab: this.state.active, input });
  }

  /** The page was moved under its numbers: they hide until the next look. */
  moved(): void {
    this.#scrolled = this.store.state.marksRevision;
  }

  #flash(id: number): void {
    this.done = id;
    setTimeout(() => {
      if (this.done === id) this.done = 0;
    }, DONE_MS);
  }
}

/** Whether two addresses mean the same document: all but the fragment. */
function sameDocument(a: string, b: string): boolean {
  return a.split('#')[0] === b.split('#')[0];
}

/**
 * What was typed as an address. The program adds the scheme where there is none; here only
 * names of this machine and of tests are told to have no certificate.
 */
export function toAddress(text: string): string {
  const typed = text.trim();
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(typed) || /^(about|data|blob):/i.test(typed)) return typed;
  const plain = /^(localhost|127\.|\[::1\]|[^/:]+\.(test|localhost))([:/]|$)/i.test(typed) || /^127\./.test(typed);
  return plain ? `http://${typed}` : typed;
}
