import type { Bill, Budget, Spending, StoredEvent } from '../../shared/api/types';
import { failureText, type Actions } from '../actions';
import type { Conversations } from './conversation.svelte';

/** After these something was spent, or may be. */
const TELLING = ['round.ended', 'turn.ended', 'budget.raised', 'branch.chosen'];

/** What the shown conversation cost, and how its budgets stand. */
export class Bills {
  of = $state('');
  bill = $state.raw<Spending | null>(null);
  failed = $state('');
  #asked = 0;

  constructor(
    private readonly talk: Conversations,
    private readonly actions: Actions,
  ) {}

  /** The bill of the shown conversation; null before it was read. */
  get shown(): Spending | null {
    return this.of === this.talk.currentId ? this.bill : null;
  }

  onEvent(event: StoredEvent): void {
    // What a subagent does is told in its own conversation and costs this one.
    if (TELLING.includes(event.kind) && (event.conversation === this.talk.currentId || this.talk.running))
      void this.read();
  }

  /** Reads it anew; an answer that is overtaken is dropped. */
  async read(): Promise<void> {
    const mine = ++this.#asked;
    const id = this.talk.currentId;
    if (!id) {
      this.bill = null;
      this.of = '';
      return;
    }
    try {
      const bill = await this.actions.backend.bill(id);
      if (mine !== this.#asked) return;
      this.bill = bill;
      this.of = id;
      this.failed = '';
    } catch (error) {
      if (mine === this.#asked) this.failed = failureText(error);
    }
  }
}

export const tokensOf = (bill: Bill): number => bill.input + bill.output;

/** How far a budget is used up, in percent, never less than what is begun; more than 100 is possible. */
export const share = (budget: Budget): number => Math.ceil((100 * budget.spent) / budget.limit);

/** The budget that is nearest to its end, which is the one to show. */
export function nearest(budgets: Budget[]): Budget | undefined {
  return budgets.reduce<Budget | undefined>((most, one) => (!most || share(one) > share(most) ? one : most), undefined);
}

/** How much of what was read came out of a cache, in percent. */
export const cachedShare = (bill: Bill): number =>
  bill.input ? Math.round((100 * (bill.cached ?? 0)) / bill.input) : 0;
