import type { Bill, Budget, Spending, StoredEvent } from '../../shared/api/types';
import { failureText, type Actions } from '../actions';
import type { Conversations } from './conversations.svelte';

/** Kinds of events after which the cost may have changed. */
const COST_EVENTS = ['round.ended', 'turn.ended', 'budget.raised', 'branch.chosen'];

/** Tracks the cost of the shown conversation and the state of its budgets. */
export class CostTracker {
  conversationId = $state('');
  bill = $state.raw<Spending | null>(null);
  failed = $state('');
  #request = 0;

  constructor(
    private readonly conversations: Conversations,
    private readonly actions: Actions,
  ) {}

  /** The bill of the shown conversation; null before it has been read. */
  get shown(): Spending | null {
    return this.conversationId === this.conversations.currentId ? this.bill : null;
  }

  onEvent(event: StoredEvent): void {
    // A subagent's events belong to its own conversation, but its cost counts for this one.
    if (
      COST_EVENTS.includes(event.kind) &&
      (event.conversation === this.conversations.currentId || this.conversations.running)
    )
      void this.read();
  }

  /** Reads the cost. An outdated answer is dropped. */
  async read(): Promise<void> {
    const request = ++this.#request;
    const id = this.conversations.currentId;
    if (!id) {
      this.bill = null;
      this.conversationId = '';
      return;
    }
    try {
      const bill = await this.actions.backend.bill(id);
      if (request !== this.#request) return;
      this.bill = bill;
      this.conversationId = id;
      this.failed = '';
    } catch (error) {
      if (request === this.#request) this.failed = failureText(error);
    }
  }
}

export const tokensOf = (bill: Bill): number => bill.input + bill.output;

/** Returns the used share of a budget in percent, rounded up. It can exceed 100. */
export const usedPercent = (budget: Budget): number => Math.ceil((100 * budget.spent) / budget.limit);

/** Returns the budget with the largest used share. */
export function mostUsed(budgets: Budget[]): Budget | undefined {
  return budgets.reduce<Budget | undefined>(
    (most, one) => (!most || usedPercent(one) > usedPercent(most) ? one : most),
    undefined,
  );
}

/** Returns the share of the input that was read from a cache, in percent. */
export const cachedPercent = (bill: Bill): number =>
  bill.input ? Math.round((100 * (bill.cached ?? 0)) / bill.input) : 0;
