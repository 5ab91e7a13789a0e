import { expect, test } from 'vitest';
import type { ChangedFile } from '../../shared/api/types';
import type { Actions } from '../actions';
import type { Store } from '../store/store.svelte';
import type { Toasts } from '../toasts.svelte';
import { TurnChanges } from './changes.svelte';

const file = (path: string, state: string) => ({ path, state }) as ChangedFile;

/** Returns the changes of turn t. Requests are answered when the test says so. */
function turn(calls: object[] = []) {
  const asked: ((files: ChangedFile[]) => void)[] = [];
  const backend = {
    changes: () => new Promise<ChangedFile[]>((resolve) => asked.push(resolve)),
    undoChanges: () => Promise.resolve({ success: true }),
  };
  const actions = { backend, attempt: (p: Promise<unknown>) => p.then(() => true) } as unknown as Actions;
  const store = { state: { calls: { ...calls } } } as unknown as Store;
  return { changes: new TurnChanges('t', store, actions, {} as Toasts), asked };
}

test('does not count files that an undo changed', () => {
  const { changes } = turn([
    { turn: 't', tool: 'write_file', changed: ['/w/a'] },
    { turn: 't', tool: 'undo', changed: ['/w/a', '/w/old'] },
  ]);
  expect(changes.reported).toEqual(['/w/a']);
});

test('drops an outdated answer', async () => {
  const { changes, asked } = turn();
  const first = changes.load();
  const second = changes.load();
  asked[1]!([file('/w/a', 'undone')]);
  await second;
  asked[0]!([file('/w/a', 'ready')]);
  await first;
  expect(changes.files?.[0]?.state).toBe('undone');
});

test('reports how many files an undo did not restore', async () => {
  const { changes, asked } = turn();
  const done = changes.undo();
  await expect.poll(() => asked.length).toBe(1);
  asked[0]!([file('/w/a', 'undone'), file('/w/b', 'conflict')]);
  await done;
  expect(changes.conflicts).toBe(1);
});

test('counts a stopped command as unreported', () => {
  const { changes } = turn([
    { turn: 't', tool: 'bash', status: 'stopped', changed: [] },
    { turn: 't', tool: 'bash', status: 'done', changed: [] },
    { turn: 't', tool: 'click', status: 'failed', changed: [] },
    { turn: 'u', tool: 'bash', status: 'stopped', changed: [] },
  ]);
  expect(changes.reported).toEqual([]);
  expect(changes.unreported).toBe(1);
  expect(changes.revision).toBe(1);
});
