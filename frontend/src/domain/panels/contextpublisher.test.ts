import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Backend } from '../../shared/api/backend';
import { ContextPublisher } from './contextpublisher';

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
  return { told, showing: new ContextPublisher(backend) };
}

it('what a panel shows is told once it rests, and only when it is another', async () => {
  const { told, showing } = heard();
  showing.publish('notes', {});
  await vi.runAllTimersAsync();
  for (const note of ['A', 'B', 'C']) showing.publish('notes', { note });
  await vi.runAllTimersAsync();
  showing.publish('notes', { note: 'C' });
  await vi.runAllTimersAsync();
  showing.publish('notes', {});
  await vi.runAllTimersAsync();
  expect(told).toEqual(['notes {"note":"C"}', 'notes {}']);
});

it('what is not shown any more is told when the line broke meanwhile', async () => {
  let away = false;
  const { told, showing } = heard(() => away);
  showing.publish('notes', { note: 'A' });
  await vi.runAllTimersAsync();
  away = true;
  showing.publish('notes', {});
  await vi.runAllTimersAsync();
  away = false;
  showing.republish();
  await vi.runAllTimersAsync();
  expect(told).toEqual(['notes {"note":"A"}', 'notes {}']);
});

it('a program that was away is told again', async () => {
  let away = true;
  const { told, showing } = heard(() => away);
  showing.publish('files', { path: '/w/a' });
  await vi.runAllTimersAsync();
  away = false;
  showing.republish();
  await vi.runAllTimersAsync();
  showing.republish();
  await vi.runAllTimersAsync();
  expect(told).toEqual(['files {"path":"/w/a"}', 'files {"path":"/w/a"}']);
});
