import { tick } from 'svelte';
import { expect, it, vi } from 'vitest';
import type { Backend } from '../../shared/api/backend';
import type { Panel, StoredEvent } from '../../shared/api/types';
import { BackendError } from '../../shared/api/client';
import { Actions } from '../actions';
import { Store } from '../store/store.svelte';
import { Toasts } from '../toasts.svelte';
import { Panels } from './panels.svelte';

/** Returns three panels, of which home is active. Requests to open one are answered when the test says so. */
function bar() {
  const answers: { done: () => void; fail: (error: Error) => void }[] = [];
  const openPanel = () => new Promise<void>((done, fail) => answers.push({ done, fail }));
  const store = new Store();
  const apply = (kind: string, data: unknown) => store.applyEvent({ kind, data } as StoredEvent);
  const panel = (id: string, order: number) => ({ id, order, builtin: true }) as Panel;
  apply('panels.changed', { panels: [panel('home', 1), panel('browser', 2), panel('settings', 3)] });
  apply('panel.opened', { panel: 'home' });
  const panels = new Panels(store, new Actions({ openPanel } as unknown as Backend, store, new Toasts()));
  return { answers, panels, opened: (id: string) => apply('panel.opened', { panel: id }) };
}

it('shows a requested panel between the answer and its event', async () => {
  const { answers, panels, opened } = bar();
  const asked = panels.open('settings');
  expect(panels.activeId).toBe('settings');
  await tick();
  answers[0]!.done();
  await asked;
  expect(panels.activeId).toBe('settings');
  opened('settings');
  expect(panels.activeId).toBe('settings');
  opened('home');
  expect(panels.activeId).toBe('home');
});

it('shows the open panel again when another could not be opened', async () => {
  const { answers, panels } = bar();
  const asked = panels.open('settings');
  await tick();
  answers[0]!.fail(new BackendError(500, 'Broken', ''));
  await asked;
  expect(panels.activeId).toBe('home');
});

it('requests a panel only when the request before it is answered, and shows the later one', async () => {
  const { answers, panels, opened } = bar();
  const first = panels.open('settings');
  await tick();
  const asked = [first, panels.open('browser'), panels.open('home')];
  await tick();
  expect(panels.activeId).toBe('home');
  expect(answers).toHaveLength(1);
  answers[0]!.done();
  opened('settings');
  expect(panels.activeId).toBe('home');
  await vi.waitFor(() => expect(answers).toHaveLength(2));
  answers[1]!.done();
  await Promise.all(asked);
  expect(answers).toHaveLength(2);
  expect(panels.activeId).toBe('home');
  opened('home');
  expect(panels.activeId).toBe('home');
});

it('shows a panel that another caller opened after the request', async () => {
  const { answers, panels, opened } = bar();
  const asked = panels.open('settings');
  await tick();
  opened('settings');
  opened('browser');
  answers[0]!.done();
  await asked;
  expect(panels.activeId).toBe('browser');
});

it('does not wait for ever for the answer to a request', async () => {
  vi.useFakeTimers();
  try {
    const { answers, panels } = bar();
    void panels.open('settings');
    await tick();
    void panels.open('browser');
    await vi.advanceTimersByTimeAsync(1000);
    expect(answers).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(5000);
    expect(answers).toHaveLength(2);
    expect(panels.activeId).toBe('browser');
  } finally {
    vi.useRealTimers();
  }
});
