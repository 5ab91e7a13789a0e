import type { Bill, Budget, Spending, StoredEvent } from '../../shared/api/types';
import { failureText, type Actions } from '../actions';
import type { Conversations } from './conversations.svelte';

/** Events after which the cost may differ. */
const COST_EVENTS = ['round.ended', 'turn.ended', 'budget.raised', 'branch.chosen'];

/** The cost of the shown conversation and the state of its budgets. */
export class CostTracker {
  of = $state('');
  bill = $state.raw<Spending | null>(null);
  failed = $state('');
  #request = 0;

  constructor(
    private readonly conversations: Conversations,
    private readonly actions: Actions,
  ) {}

  /** The bill of the shown conversation; null before it was read. */
  get shown(): Spending | null {
    return this.of === this.conversations.currentId ? this.bill : null;
  }

  onEvent(event: StoredEvent): void {
    // A subagent's events are those of its own conversation, but this one pays.
    if (
      COST_EVENTS.includes(event.kind) &&
      (event.conversation === this.conversations.currentId || this.conversations.running)
    )
      void this.read();
  }

  /** Reads the cost; an outdated answer is dropped. */
  async read(): Promise<void> {
    const request = ++this.#request;
    const id = this.conversations.currentId;
    if (!id) {
      this.bill = null;
      this.of = '';
      return;
    }
    try {
      const bill = await this.actions.backend.bill(id);
      if (request !== this.#request) return;
      this.bill = bill;
      this.of = id;
      this.failed = '';
    } catch (error) {
      if (request === this.#request) this.failed = failureText(error);
    }
  }
}

export const tokensOf = (bill: Bill): number => bill.input + bill.output;

/** How much of a budget is used, in percent, rounded up; can exceed 100. */
export const usedPercent = (budget: Budget): number => Math.ceil((100 * budget.spent) / budget.limit);

/** The budget that is used up most. */
export function mostUsed(budgets: Budget[]): Budget | undefined {
  return budgets.reduce<Budget | undefined>(
    (most, one) => (!most || usedPercent(one) > usedPercent(most) ? one : most),
    undefined,
  );
}

/** How much of the input came out of a cache, in percent. */
export const cachedPercent = (bill: Bill): number =>
  bill.input ? Math.round((100 * (bill.cached ?? 0)) / bill.input) : 0;
