import type { Panel, StoredEvent } from '../../shared/api/types';
import type { Actions } from '../actions';
import type { Store } from '../store/store.svelte';

/** The panels of the activity bar and which one is on the stage. */
export class Panels {
  /**
   * The panel asked for, shown before the program says so. Its answer may come before its event:
   * from then on the wish holds until the next word on which panel is active, `until` unset before.
   */
  #wish = $state<{ id: string; until?: number } | null>(null);

  constructor(
    private readonly store: Store,
    private readonly actions: Actions,
  ) {}

  /** The tool of the last call that succeeded, whoever made it, and how many did before. */
  ended = $state.raw<{ tool: string; n: number }>({ tool: '', n: 0 });

  onEvent(event: StoredEvent): void {
    if (event.kind !== 'call.ended') return;
    const { status, tool } = event.data;
    if (status === 'done') this.ended = { tool, n: this.ended.n + 1 };
  }

  /** In the order of the activity bar, those at its foot last; Ctrl 1 to 9 go by it. */
  get list(): Panel[] {
    const rank = (panel: Panel) => (panel.section === 'bottom' ? 2 : panel.builtin ? 0 : 1);
    return [...this.store.state.panels].sort(
      (a, b) => rank(a) - rank(b) || a.order - b.order || (a.id < b.id ? -1 : 1),
    );
  }

  /** Those at the foot of the bar. */
  get foot(): Panel[] {
    return this.list.filter((panel) => panel.section === 'bottom');
  }

  get own(): Panel[] {
    return this.list.filter((panel) => !panel.builtin);
  }

  get activeId(): string {
    const { activePanel, activeRevision } = this.store.state;
    const wish = this.#wish;
    const id = wish && (wish.until ?? activeRevision) === activeRevision ? wish.id : activePanel;
    return this.list.some((panel) => panel.id === id) ? id : (this.list[0]?.id ?? '');
  }

  get active(): Panel | undefined {
    return this.list.find((panel) => panel.id === this.activeId);
  }

  async open(id: string): Promise<void> {
    if (id === this.activeId) return;
    const asked = this.store.state.activeRevision;
    this.#wish = { id };
    const opened = await this.actions.ask(this.actions.backend.openPanel(id));
    if (this.#wish?.id !== id) return;
    const { activeAt, activeRevision } = this.store.state;
    const told = (activeAt[id] ?? 0) > asked;
    this.#wish = opened && !told ? { id, until: activeRevision } : null;
  }

  openAt(place: number): void {
    const panel = this.list[place];
    if (panel) void this.open(panel.id);
  }
}
