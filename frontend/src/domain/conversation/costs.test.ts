import { expect, test } from 'vitest';
import type { Bill, Budget, Spending, StoredEvent } from '../../shared/api/types';
import type { Actions } from '../actions';
import { CostTracker, cachedPercent, mostUsed, usedPercent } from './costs.svelte';
import type { Conversations } from './conversations.svelte';

const budget = (name: string, spent: number, limit: number): Budget => ({ name, spent, limit });
const bill = (input: number, cached: number): Bill => ({ input, cached, output: 0, requests: 1, cost: [] });

test('rounds used budget up, and above 100 percent when exceeded', () => {
  expect(usedPercent(budget('a', 1, 1000))).toBe(1);
  expect(usedPercent(budget('a', 0, 1000))).toBe(0);
  expect(usedPercent(budget('a', 1500, 1000))).toBe(150);
});

test('finds the budget that is used up most', () => {
  expect(mostUsed([])).toBeUndefined();
  expect(mostUsed([budget('a', 1, 10), budget('b', 5, 10), budget('c', 2, 10)])?.name).toBe('b');
});

test('reports 0 percent cached without input', () => {
  expect(cachedPercent(bill(0, 0))).toBe(0);
  expect(cachedPercent(bill(300, 100))).toBe(33);
});

test('does not show a late answer for another conversation', async () => {
  const answers: ((bill: Spending) => void)[] = [];
  const conversations = { currentId: 'a', running: false } as Conversations;
  const asked: string[] = [];
  const backend = {
    bill: (id: string) => {
      asked.push(id);
      return new Promise<Spending>((resolve) => answers.push(resolve));
    },
  };
  const bills = new CostTracker(conversations, { backend } as unknown as Actions);
  const spending = (input: number): Spending => ({ conversation: bill(input, 0), turn: bill(0, 0), budgets: [] });
  const first = bills.read();
  (conversations as { currentId: string }).currentId = 'b';
  const second = bills.read();
  answers[1]!(spending(2));
  answers[0]!(spending(1));
  await Promise.all([first, second]);
  expect(bills.shown?.conversation.input).toBe(2);
  (conversations as { currentId: string }).currentId = 'c';
  expect(bills.shown).toBeNull();

  const event = (kind: string, conversation: string) => ({ kind, conversation }) as StoredEvent;
  bills.onEvent(event('text.delta', 'c'));
  bills.onEvent(event('round.ended', 'z'));
  expect(asked).toHaveLength(2);
  bills.onEvent(event('round.ended', 'c'));
  expect(asked).toEqual(['a', 'b', 'c']);
});
