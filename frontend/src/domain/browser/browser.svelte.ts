import { environmentTool } from '../../shared/api/navigation';
import type { BrowserState, Input, MarkElement, Marks, Tab } from '../../shared/api/types';
import { toAddress } from '../../shared/format/address';
import type { Actions } from '../actions';
import type { Session } from '../session/session.svelte';
import type { Settings } from '../settings/settings.svelte';
import type { Store } from '../store/store.svelte';
import { LiveView } from './live.svelte';

/** How long a mark stays highlighted after a click on it, in milliseconds. */
const DONE_MS = 600;

const MAX_CLOSED = 20;

/** The browser that Sextant controls: its tabs and address, input, and the marks on its page. */
export class Browser {
  readonly live: LiveView;
  /** The number of the mark under the pointer, 0 for none. */
  hoveredMark = $state(0);
  /** The number of the mark that was just clicked, 0 for none. */
  clickedMark = $state(0);
  starting = $state(false);
  /** Whether a message to the assistant gives the page back to it. */
  givesBack = $state(true);
  /** What the person did since taking over: presses of a button, keys, and the address at the start. */
  byHand = $state({ presses: 0, keys: 0, from: '' });
  /** The revision of the marks when the page was last scrolled or resized. Marks of that revision are outdated. */
  #scrolled = $state(-1);
  /** The addresses of the tabs that the person closed, the last one at the end. */
  #closed = $state<string[]>([]);

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

  /** Whether the active tab has a page. */
  get hasPage(): boolean {
    const url = this.tab?.url ?? '';
    return url !== '' && url !== 'about:blank';
  }

  /** Who acts on the page now, other than the person at this window; "" for nobody. */
  get driver(): string {
    const { driving } = this.state;
    return driving && driving !== 'person' ? driving : '';
  }

  /** The marks of the active tab; null when there are none. */
  get marks(): Marks | null {
    const { marks } = this.store.state;
    if (!marks || marks.page.tab !== this.state.active) return null;
    return marks;
  }

  /** Counts observations of the page. */
  get marksRevision(): number {
    return this.store.state.marksRevision;
  }

  /** Whether the marks match the page. */
  get marksFit(): boolean {
    const url = this.marks?.page.url;
    return url !== undefined && this.#scrolled !== this.marksRevision && sameDocument(url, this.tab?.url ?? '');
  }

  /** Whether the marks are on and match the page. */
  get marksShown(): boolean {
    return Boolean(this.marks?.on) && this.settings.value('marks') !== 'off' && this.marksFit;
  }

  /** The number of the mark that a pending approval or the driver of the page will act on next, 0 for none. */
  get nextMark(): number {
    const asked = this.store.state.approvals.find((approval) => approval.annotation)?.annotation;
    if (asked) return asked;
    const { pointer } = this.store.state;
    return this.driver && pointer?.tab === this.state.active ? (pointer.target ?? 0) : 0;
  }

  element(id: number): MarkElement | undefined {
    return this.marks?.elements.find((element) => element.id === id);
  }

  /** Opens a typed address, or searches for other words. A page that cannot be opened says so in its place. */
  async navigate(text: string): Promise<void> {
    const result = await this.actions.run(environmentTool('navigate'), { url: this.#address(text) }, true);
    // The result may come before the state of the tab, so its error tells whether the page says it.
    if (result && !result.success && !result.error?.includes('(net::'))
      this.actions.showFailure(environmentTool('navigate'), result);
  }

  step(action: 'back' | 'forward' | 'reload'): void {
    void this.actions.run(environmentTool('navigate'), { action });
  }

  openTab(url = ''): Promise<unknown> {
    return this.actions.run(environmentTool('tabs'), { action: 'open', ...(url ? { url: this.#address(url) } : {}) });
  }

  /** Opens the tab again that the person closed last. */
  reopenTab(): void {
    const url = this.#closed.pop();
    if (url) void this.openTab(url);
  }

  /** Whether there is a closed tab to open again. */
  get canReopen(): boolean {
    return this.#closed.length > 0;
  }

  #address(text: string): string {
    return toAddress(text, this.settings.value('search_engine'));
  }

  selectTab(tab: number): void {
    if (tab !== this.state.active) void this.actions.run(environmentTool('tabs'), { action: 'select', tab });
  }

  /** Puts a tab at another place, counted from 0. */
  moveTab(tab: number, to: number): void {
    const { tabs } = this.state;
    if (to < 0 || to >= tabs.length || tabs[to]?.id === tab) return;
    void this.actions.attempt(this.actions.backend.moveTab(tab, to));
  }

  closeTab(tab = this.state.active): void {
    const url = this.state.tabs.find(({ id }) => id === tab)?.url ?? '';
    if (/^https?:/i.test(url)) this.#closed = [...this.#closed.slice(-MAX_CLOSED + 1), url];
    if (tab) void this.actions.run(environmentTool('tabs'), { action: 'close', tab });
  }

  /** Turns the marks off if they are on and there are any. Otherwise turns them on and numbers the page again. */
  async annotate(): Promise<void> {
    if (this.marks?.on && this.settings.value('marks') !== 'off' && this.marks.elements.length) {
      await this.settings.set('marks', 'off');
      return;
    }
    if (this.settings.value('marks') === 'off') await this.settings.set('marks', 'on');
    await this.numberAgain();
  }

  /** Numbers what is in view, and shows or hides no marks. */
  async numberAgain(): Promise<void> {
    await this.actions.run(environmentTool('annotate'), {});
  }

  async click(id: number): Promise<void> {
    const result = await this.actions.run(environmentTool('click'), { annotationId: id });
    if (result?.success) this.#flash(id);
  }

  /** Accepts or dismisses the open dialog of the page. `answer` contains the text or credentials it asks for. */
  answerDialog(accept: boolean, answer: { text?: string; username?: string; password?: string } = {}): void {
    void this.actions.run(environmentTool('dialog'), { accept, ...answer });
  }

  /** Cancels a running download. */
  cancelDownload(id: number): void {
    void this.actions.run(environmentTool('downloads'), { action: 'cancel', id });
  }

  /** Makes the browser emulate the named device. */
  setDevice(name: string): void {
    void this.actions.run('set_activity_bar_devices', { device: name });
  }

  /** Takes the page over from the assistant, or gives it back when `person` is false. */
  takeOver(person: boolean): Promise<boolean> {
    this.#clearByHand();
    return this.actions.attempt(this.actions.backend.takeOver(person));
  }

  /** Gives the page back before a message is sent, if the person has it and does not keep it. */
  async giveBack(): Promise<void> {
    if (this.state.person_has && this.givesBack) await this.takeOver(false);
  }

  #noteByHand({ type }: Input): void {
    if (type !== 'down' && type !== 'keydown') return;
    if (!this.state.person_has) this.#clearByHand();
    if (type === 'down') this.byHand.presses++;
    else this.byHand.keys++;
    this.byHand.from ||= this.tab?.url ?? '';
  }

  #clearByHand(): void {
    this.givesBack = true;
    this.byHand = { presses: 0, keys: 0, from: '' };
  }

  async start(): Promise<void> {
    this.starting = true;
    await this.actions.attempt(this.actions.backend.startBrowser());
    this.starting = false;
  }

  /** Sends the person's input to the page. */
  sendInput(input: Input): void {
    this.#noteByHand(input);
    if (input.type === 'wheel') this.#scrolled = this.store.state.marksRevision;
    this.session.send({ v: 1, kind: 'input', tab: this.state.active, input });
  }

  /** Hides the marks until the next observation, because the page was scrolled or resized. */
  hideMarks(): void {
    this.#scrolled = this.store.state.marksRevision;
  }

  #flash(id: number): void {
    this.clickedMark = id;
    setTimeout(() => {
      if (this.clickedMark === id) this.clickedMark = 0;
    }, DONE_MS);
  }
}

/** Reports whether two addresses differ at most in their fragments. */
function sameDocument(a: string, b: string): boolean {
  return a.split('#')[0] === b.split('#')[0];
}
