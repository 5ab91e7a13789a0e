import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Completion } from '../../shared/api/types';
import { Completions, MessageHistory } from './completions.svelte';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Returns Completions whose requests are answered when the test calls `answer`. */
function slowCompletions() {
  const asked: { text: string; answer: (c: Completion) => void; fail: () => void }[] = [];
  const complete = (text: string) =>
    new Promise<Completion>((answer, fail) => asked.push({ text, answer, fail: () => fail(new Error('gone')) }));
  return { asked, completions: new Completions({ complete, pilotGrammar: async () => [] }) };
}
const offer = (insert: string): Completion => ({ items: [{ insert, show: insert }], ghost: 'NUMBER' });
const settle = () => vi.advanceTimersByTimeAsync(1000);

it('requests completions once after a pause', async () => {
  const { asked, completions: c } = slowCompletions();
  for (const text of ['c', 'cl', 'cli']) c.ask(text, '');
  await settle();
  expect(asked.map((a) => a.text)).toEqual(['cli']);
  asked[0]!.answer(offer('click '));
  await settle();
  expect(c.items).toHaveLength(1);
  expect(c.ghost).toBe('NUMBER');
});

it('drops an outdated answer', async () => {
  const { asked, completions: c } = slowCompletions();
  c.ask('cl', '');
  await settle();
  c.ask('click', '');
  await settle();
  asked[1]!.answer(offer('click '));
  await settle();
  asked[0]!.answer(offer('clear '));
  await settle();
  expect(c.items[0]!.insert).toBe('click ');
});

it('offers nothing when closed, without text and after a failed request', async () => {
  const { asked, completions: c } = slowCompletions();
  c.ask('cl', '');
  await settle();
  c.close();
  asked[0]!.answer(offer('click '));
  await settle();
  expect(c.items).toEqual([]);
  c.ask('  ', '');
  c.ask('x'.repeat(3000), '');
  await settle();
  expect(asked).toHaveLength(1);
  c.ask('op', '');
  await settle();
  asked[1]!.fail();
  await settle();
  expect(c.items).toEqual([]);
});

it('moves the selection through the rows and back to none', async () => {
  const { asked, completions: c } = slowCompletions();
  c.ask('a', '');
  await settle();
  asked[0]!.answer({ items: [offer('a1').items[0]!, offer('a2').items[0]!] });
  await settle();
  expect(c.suggestion?.insert).toBe('a1');
  const places = [1, 1, 1, -1].map((by) => (c.move(by as 1 | -1), c.chosen));
  expect(places).toEqual([0, 1, -1, 1]);
  expect(c.suggestion?.insert).toBe('a2');
});

it('steps through sent messages, newest first, and leaves a draft alone', () => {
  const sent = new MessageHistory();
  const all = ['open demo', 'click 3'];
  expect(sent.step(all, '', 1)).toBe('click 3');
  expect(sent.step(all, 'click 3', 1)).toBe('open demo');
  expect(sent.step(all, 'open demo', 1)).toBeNull();
  expect(sent.step(all, 'open demo', -1)).toBe('click 3');
  expect(sent.step(all, 'click 3', -1)).toBe('');
  expect(sent.step(all, 'my own', 1)).toBeNull();
  expect(sent.step([], '', 1)).toBeNull();
});
