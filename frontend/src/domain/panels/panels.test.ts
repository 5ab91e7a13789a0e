import { expect, it } from 'vitest';
import type { Backend } from '../../shared/api/backend';
import type { Panel, StoredEvent } from '../../shared/api/types';
import { BackendError } from '../../shared/api/client';
import { Actions } from '../actions';
import { Store } from '../store/store.svelte';
import { Toasts } from '../toasts.svelte';
import { Panels } from './panels.svelte';

/** Panels with three on the bar and home on the stage; a request to open one is answered when the test says so. */
function bar() {
  const answers: { done: () => void; fail: (error: Error) => void }[] = [];
  const openPanel = () => new Promise<void>((done, fail) => answers.push({ done, fail }));
  const store = new Store();
  const tell = (kind: string, data: unknown) => store.event({ kind, data } as StoredEvent);
  const panel = (id: string, order: number) => ({ id, order, builtin: true }) as Panel;
  tell('panels.changed', { panels: [panel('home', 1), panel('browser', 2), panel('settings', 3)] });
  tell('panel.opened', { panel: 'home' });
  const panels = new Panels(store, new Actions({ openPanel } as unknown as Backend, store, new Toasts()));
  return { answers, panels, opened: (id: string) => tell('panel.opened', { panel: id }) };
}

it('a panel that is asked for stays on the stage between the answer and its event', async () => {
  const { answers, panels, opened } = bar();
  const asked = panels.open('settings');
  expect(panels.activeId).toBe('settings');
  answers[0]!.done();
  await asked;
  expect(panels.activeId).toBe('settings');
  opened('settings');
  expect(panels.activeId).toBe('settings');
  opened('home');
  expect(panels.activeId).toBe('home');
});

it('a panel that could not be opened leaves the stage to the one that is open', async () => {
  const { answers, panels } = bar();
  const asked = panels.open('settings');
  answers[0]!.fail(new BackendError(500, 'Broken', ''));
  await asked;
  expect(panels.activeId).toBe('home');
});

it('of two panels that are asked for the later one holds', async () => {
  const { answers, panels, opened } = bar();
  const asked = [panels.open('settings'), panels.open('home')];
  expect(panels.activeId).toBe('home');
  answers[0]!.done();
  opened('settings');
  expect(panels.activeId).toBe('home');
  answers[1]!.done();
  await Promise.all(asked);
  expect(panels.activeId).toBe('home');
  opened('home');
  expect(panels.activeId).toBe('home');
});

it('a panel that something else opened meanwhile is not covered by an older wish', async () => {
  const { answers, panels, opened } = bar();
  const asked = panels.open('settings');
  opened('settings');
  opened('browser');
  answers[0]!.done();
  await asked;
  expect(panels.activeId).toBe('browser');
});
