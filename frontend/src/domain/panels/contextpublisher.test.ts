import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Backend } from '../../shared/api/backend';
import { ContextPublisher } from './contextpublisher';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function recordingPublisher(fails = () => false) {
  const published: string[] = [];
  const backend = {
    publishContext: (panel: string, values: unknown) => {
      if (fails()) return Promise.reject(new Error('gone'));
      published.push(`${panel} ${JSON.stringify(values)}`);
      return Promise.resolve();
    },
  } as unknown as Backend;
  return { published, publisher: new ContextPublisher(backend) };
}

it('publishes a changed value after a pause', async () => {
  const { published, publisher } = recordingPublisher();
  publisher.publish('notes', {});
  await vi.runAllTimersAsync();
  for (const note of ['A', 'B', 'C']) publisher.publish('notes', { note });
  await vi.runAllTimersAsync();
  publisher.publish('notes', { note: 'C' });
  await vi.runAllTimersAsync();
  publisher.publish('notes', {});
  await vi.runAllTimersAsync();
  expect(published).toEqual(['notes {"note":"C"}', 'notes {}']);
});

it('publishes at once when flushed, and not again after the pause', async () => {
  const { published, publisher } = recordingPublisher();
  publisher.publish('files', { path: '/w/a' });
  await publisher.flush();
  expect(published).toEqual(['files {"path":"/w/a"}']);
  await vi.runAllTimersAsync();
  expect(published).toHaveLength(1);
});

it('publishes an empty value after a failed request', async () => {
  let offline = false;
  const { published, publisher } = recordingPublisher(() => offline);
  publisher.publish('notes', { note: 'A' });
  await vi.runAllTimersAsync();
  offline = true;
  publisher.publish('notes', {});
  await vi.runAllTimersAsync();
  offline = false;
  publisher.republish();
  await vi.runAllTimersAsync();
  expect(published).toEqual(['notes {"note":"A"}', 'notes {}']);
});

it('publishes again after a reconnect', async () => {
  let offline = true;
  const { published, publisher } = recordingPublisher(() => offline);
  publisher.publish('files', { path: '/w/a' });
  await vi.runAllTimersAsync();
  offline = false;
  publisher.republish();
  await vi.runAllTimersAsync();
  publisher.republish();
  await vi.runAllTimersAsync();
  expect(published).toEqual(['files {"path":"/w/a"}', 'files {"path":"/w/a"}']);
});
