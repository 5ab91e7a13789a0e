import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Backend } from '../../shared/api/backend';
import { Showing } from './showing';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function heard(fails = () => false) {
  const told: string[] = [];
  const backend = {
    publishContext: (panel: string, values: unknown) => {
      if (fails()) return Promise.reject(new Error('gone'));
      told.push(`${panel} ${JSON.stringify(values)}`);
      return Promise.resolve();
    },
  } as unknown as Backend;
  return { told, showing: new Showing(backend) };
}

it('what a panel shows is told once it rests, and only when it is another', async () => {
  const { told, showing } = heard();
  showing.say('notes', {});
  await vi.runAllTimersAsync();
  for (const note of ['A', 'B', 'C']) showing.say('notes', { note });
  await vi.runAllTimersAsync();
  showing.say('notes', { note: 'C' });
  await vi.runAllTimersAsync();
  showing.say('notes', {});
  await vi.runAllTimersAsync();
  expect(told).toEqual(['notes {"note":"C"}', 'notes {}']);
});

it('what is not shown any more is told when the line broke meanwhile', async () => {
  let away = false;
  const { told, showing } = heard(() => away);
  showing.say('notes', { note: 'A' });
  await vi.runAllTimersAsync();
  away = true;
  showing.say('notes', {});
  await vi.runAllTimersAsync();
  away = false;
  showing.again();
  await vi.runAllTimersAsync();
  expect(told).toEqual(['notes {"note":"A"}', 'notes {}']);
});

it('a program that was away is told again', async () => {
  let away = true;
  const { told, showing } = heard(() => away);
  showing.say('files', { path: '/w/a' });
  await vi.runAllTimersAsync();
  away = false;
  showing.again();
  await vi.runAllTimersAsync();
  showing.again();
  await vi.runAllTimersAsync();
  expect(told).toEqual(['files {"path":"/w/a"}', 'files {"path":"/w/a"}']);
});
