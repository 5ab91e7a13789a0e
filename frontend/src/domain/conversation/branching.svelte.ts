import { t } from '../../shared/i18n';
import type { Actions } from '../actions';
import type { Panels } from '../panels/panels.svelte';
import type { Item } from '../store/state';
import type { Store } from '../store/store.svelte';
import { forksOf, questionOf, type Fork } from './branches';
import type { Conversations } from './conversations.svelte';

const EDIT = 'sextant.edit';

/** A message that is being edited in place. */
interface Edit {
  id: string;
  text: string;
}

/** Edits and repeats messages, which starts branches, and switches between branches. */
export class Branching {
  /** The message being edited, null for none. It survives a reload of the window. */
  editing = $state<Edit | null>(null);
  /** True from `edit` until the editor has received the focus. */
  focusPending = $state(false);
  busy = $state(false);
  /** The key of the fork whose branch is being switched, "" for none. The fork keeps its scroll position. */
  switching = $state('');
  readonly forks: Fork[] = $derived.by(() =>
    this.conversations.transcript ? forksOf(this.conversations.transcript, this.store.state.calls) : [],
  );

  constructor(
    private readonly conversations: Conversations,
    private readonly store: Store,
    private readonly actions: Actions,
    private readonly panels: Panels,
  ) {
    this.editing = read();
  }

  /** Why no branch can be started now; "" when one can be started. */
  get disabledReason(): string {
    return this.conversations.running ? t('branch.running') : '';
  }

  /** Returns the fork whose active continuation begins with this item. */
  at(kind: Item['kind'], id: string): Fork | undefined {
    return this.forks.find(({ first }) => first.kind === kind && first.id === id);
  }

  /** Returns the fork whose active continuation begins with an answer of this turn. */
  ofTurn(turn: string): Fork | undefined {
    return this.forks.find(
      ({ first }) => first.kind !== 'user' && (first.kind === 'turnEnd' ? first.id : first.turn) === turn,
    );
  }

  question(turn: string) {
    return questionOf(this.conversations.items, turn);
  }

  edit(id: string, text: string): void {
    this.write({ id, text });
    this.focusPending = true;
  }

  write(edit: Edit | null): void {
    this.editing = edit;
    if (edit) localStorage.setItem(EDIT, JSON.stringify(edit));
    else localStorage.removeItem(EDIT);
  }

  /** Sends the edited message and returns whether the program accepted it. Until then the editor stays open. */
  async send(): Promise<boolean> {
    const edit = this.editing;
    const accepted = Boolean(edit?.text.trim()) && (await this.#branch(edit!.id, edit!.text.trim()));
    if (accepted) this.write(null);
    return accepted;
  }

  /** Sends a message again with the chosen model. Returns false when that failed. */
  async retry(message: string): Promise<boolean> {
    return this.#branch(message, '');
  }

  async choose(fork: Fork, by: number): Promise<void> {
    const branch = fork.alternatives[fork.at + by];
    if (branch === undefined || this.disabledReason) return;
    this.switching = fork.key;
    const done = await this.actions.attempt(this.actions.backend.chooseBranch(this.conversations.currentId, branch));
    if (!done) this.switching = '';
  }

  async #branch(message: string, text: string): Promise<boolean> {
    if (this.busy || this.disabledReason) return false;
    this.busy = true;
    const { currentId, model } = this.conversations;
    const done = await this.actions.attempt(
      this.actions.backend.branch(currentId, message, text, model, this.panels.activeId),
    );
    this.busy = false;
    return done;
  }
}

function read(): Edit | null {
  try {
    const saved = JSON.parse(localStorage.getItem(EDIT) ?? 'null') as Partial<Edit> | null;
    return typeof saved?.id === 'string' && typeof saved.text === 'string' ? { id: saved.id, text: saved.text } : null;
  } catch {
    return null;
  }
}
