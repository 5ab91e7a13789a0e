import { t } from '../../shared/i18n';
import type { Actions } from '../actions';
import type { Panels } from '../panels/panels.svelte';
import type { Item } from '../store/state';
import type { Store } from '../store/store.svelte';
import { forksOf, questionOf, type Fork } from './branches';
import type { Conversations } from './conversation.svelte';

const EDIT = 'sextant.edit';

/** A message that is being written anew where it stands. */
interface Edit {
  id: string;
  text: string;
}

/** Asking a message again, with other words or as it is, and going between the branches that come of it. */
export class Branching {
  /** Kept over a restart: what was typed is not lost. */
  editing = $state<Edit | null>(null);
  /** True until the editor that was asked for has the focus. */
  begun = $state(false);
  busy = $state(false);
  /** The fork that is being switched, which keeps its place in view meanwhile. */
  holding = $state('');
  readonly forks: Fork[] = $derived.by(() =>
    this.talk.transcript ? forksOf(this.talk.transcript, this.store.state.calls) : [],
  );

  constructor(
    private readonly talk: Conversations,
    private readonly store: Store,
    private readonly actions: Actions,
    private readonly panels: Panels,
  ) {
    this.editing = read();
  }

  /** Why nothing can part now, "" when it can. */
  get off(): string {
    return this.talk.running ? t('branch.running') : '';
  }

  /** The fork whose shown way begins with this item. */
  at(kind: Item['kind'], id: string): Fork | undefined {
    return this.forks.find(({ first }) => first.kind === kind && first.id === id);
  }

  /** The fork of a turn's answers. */
  ofTurn(turn: string): Fork | undefined {
    return this.forks.find(
      ({ first }) => first.kind !== 'user' && (first.kind === 'turnEnd' ? first.id : first.turn) === turn,
    );
  }

  question(turn: string) {
    return questionOf(this.talk.items, turn);
  }

  edit(id: string, text: string): void {
    this.write({ id, text });
    this.begun = true;
  }

  write(edit: Edit | null): void {
    this.editing = edit;
    if (edit) localStorage.setItem(EDIT, JSON.stringify(edit));
    else localStorage.removeItem(EDIT);
  }

  /** Sends what is being edited; it stays where it is until the program has taken it, which is true. */
  async send(): Promise<boolean> {
    const edit = this.editing;
    const taken = Boolean(edit?.text.trim()) && (await this.#branch(edit!.id, edit!.text.trim()));
    if (taken) this.write(null);
    return taken;
  }

  /** Answers a question again, by the model that is chosen now. */
  async retry(message: string): Promise<boolean> {
    return this.#branch(message, '');
  }

  async choose(fork: Fork, by: number): Promise<void> {
    const way = fork.ways[fork.at + by];
    if (way === undefined || this.off) return;
    this.holding = fork.key;
    const done = await this.actions.ask(this.actions.backend.chooseBranch(this.talk.currentId, way));
    if (!done) this.holding = '';
  }

  async #branch(message: string, text: string): Promise<boolean> {
    if (this.busy || this.off) return false;
    this.busy = true;
    const { currentId, model } = this.talk;
    const done = await this.actions.ask(
      this.actions.backend.branch(currentId, message, text, model, this.panels.activeId),
    );
    this.busy = false;
    return done;
  }
}

function read(): Edit | null {
  try {
    const kept = JSON.parse(localStorage.getItem(EDIT) ?? 'null') as Partial<Edit> | null;
    return typeof kept?.id === 'string' && typeof kept.text === 'string' ? { id: kept.id, text: kept.text } : null;
  } catch {
    return null;
  }
}
