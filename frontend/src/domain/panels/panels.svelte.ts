import type { Panel, StoredEvent } from '../../shared/api/types';
import type { Actions } from '../actions';
import type { Store } from '../store/store.svelte';

/** How long a request may hold up the next one. */
const ANSWER_MS = 5000;

/** The panels of the activity bar, and the active panel, which is on the stage. */
export class Panels {
  /**
   * The panel that was just requested. It is shown before the program confirms it. When the request has succeeded,
   * `until` is set to the current `activeRevision`, and the panel is shown until that changes.
   */
  #requested = $state<{ id: string; until?: number } | null>(null);
  /** Ends when the program has answered the last request. Requests wait for it, so that none overtakes another. */
  #answered: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly store: Store,
    private readonly actions: Actions,
  ) {}

  /** The tool of the last successful call by any caller; `n` counts these calls. */
  lastCall = $state.raw<{ tool: string; n: number }>({ tool: '', n: 0 });

  /** Called when a panel is opened from this window, even if it is active already. */
  onOpen: () => void = () => {};

  onEvent(event: StoredEvent): void {
    if (event.kind !== 'call.ended') return;
    const { status, tool } = event.data;
    if (status === 'done') this.lastCall = { tool, n: this.lastCall.n + 1 };
  }

  /** The panels in the order of the activity bar, those at its bottom last. Ctrl 1 to 9 open them in this order. */
  get list(): Panel[] {
    const rank = (panel: Panel) => (panel.section === 'bottom' ? 2 : panel.builtin ? 0 : 1);
    return [...this.store.state.panels].sort(
      (a, b) => rank(a) - rank(b) || a.order - b.order || (a.id < b.id ? -1 : 1),
    );
  }

  /** The panels at the bottom of the activity bar. */
  get bottom(): Panel[] {
    return this.list.filter((panel) => panel.section === 'bottom');
  }

  get custom(): Panel[] {
    return this.list.filter((panel) => !panel.builtin);
  }

  get activeId(): string {
    const { activePanel, activeRevision } = this.store.state;
    const requested = this.#requested;
    const id = requested && (requested.until ?? activeRevision) === activeRevision ? requested.id : activePanel;
    return this.list.some((panel) => panel.id === id) ? id : (this.list[0]?.id ?? '');
  }

  get active(): Panel | undefined {
    return this.list.find((panel) => panel.id === this.activeId);
  }

  async open(id: string): Promise<void> {
    this.onOpen();
    if (id === this.activeId) return;
    this.#requested = { id };
    const asked = this.#answered.then(() => this.#request(id));
    const tooLong = new Promise((end) => setTimeout(end, ANSWER_MS));
    this.#answered = Promise.race([asked, tooLong]);
    await asked;
  }

  /** Asks the program to open a panel, unless another one was requested since. */
  async #request(id: string): Promise<void> {
    if (this.#requested?.id !== id) return;
    const asked = this.store.state.activeRevision;
    const opened = await this.actions.attempt(this.actions.backend.openPanel(id));
    if (this.#requested?.id !== id) return;
    const { activeAt, activeRevision } = this.store.state;
    const reported = (activeAt[id] ?? 0) > asked;
    this.#requested = opened && !reported ? { id, until: activeRevision } : null;
  }

  openAt(place: number): void {
    const panel = this.list[place];
    if (panel) void this.open(panel.id);
  }
}
