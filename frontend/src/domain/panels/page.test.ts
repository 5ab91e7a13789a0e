import { expect, it, vi } from 'vitest';
import type { Backend } from '../../shared/api/backend';
import type { Json, PageTree, Result } from '../../shared/api/types';
import { DeclarativePage, errorText } from './page.svelte';

const shelf: PageTree = {
  source: { tool: 'shelf_show' },
  children: [
    { kind: 'list', item: { title: '{title}' } },
    { kind: 'text', text: '{n}', source: { tool: 'shelf_show', args: {} } },
    { kind: 'text', text: '{n}', source: { tool: 'shelf_count', every: 5 } },
  ],
};

/** Returns the page of a panel that counts the calls of its tools. */
function opened(answer: (tool: string) => Result, tree = shelf) {
  const calls: [string, Json][] = [];
  const backend = {
    panelPage: async () => tree,
    callPanel: async (_panel: string, tool: string, args: Json) => {
      calls.push([tool, args]);
      return answer(tool);
    },
  };
  return { calls, page: new DeclarativePage(backend as unknown as Backend, 'shelf') };
}
const good = (tool: string): Result => ({ success: true, result: { of: tool }, duration_ms: 1 });
const settled = () => vi.advanceTimersByTimeAsync(1);

it('shares one call among parts with the same source, and repeats it at its interval', async () => {
  vi.useFakeTimers();
  const { calls, page } = opened(good);
  await page.open();
  await settled();
  expect(calls.map(([tool]) => tool).sort()).toEqual(['shelf_count', 'shelf_show']);
  expect(page.stateOf(shelf.source)?.value).toEqual({ of: 'shelf_show' });
  await vi.advanceTimersByTimeAsync(5100);
  expect(calls.filter(([tool]) => tool === 'shelf_count')).toHaveLength(2);
  page.close();
  await vi.advanceTimersByTimeAsync(20_000);
  expect(calls).toHaveLength(3);
  vi.useRealTimers();
});

it('reads all sources again after an action that succeeded', async () => {
  vi.useFakeTimers();
  const { calls, page } = opened((tool) =>
    tool === 'shelf_burn' ? { success: false, error: 'no', duration_ms: 1 } : good(tool),
  );
  await page.open();
  await settled();
  expect((await page.act('shelf_burn', {})).success).toBe(false);
  await vi.advanceTimersByTimeAsync(500);
  expect(calls).toHaveLength(3);
  await page.act('shelf_add', { title: 'Emma' });
  await vi.advanceTimersByTimeAsync(500);
  expect(calls.slice(3)).toEqual([
    ['shelf_add', { title: 'Emma' }],
    ['shelf_show', {}],
    ['shelf_count', {}],
  ]);
  page.close();
  vi.useRealTimers();
});

it('shows the last value and the error of a failed source until it is read again', async () => {
  let broken = false;
  const { page } = opened((tool) => (broken ? { success: false, error: 'gone away', duration_ms: 1 } : good(tool)));
  await page.open();
  await vi.waitFor(() => expect(page.stateOf(shelf.source)?.loaded).toBe(true));
  broken = true;
  await page.refresh();
  expect(page.stateOf(shelf.source)).toMatchObject({ loaded: true, error: 'gone away', value: { of: 'shelf_show' } });
  broken = false;
  await page.refresh();
  expect(page.stateOf(shelf.source)?.error).toBe('');
  page.close();
});

it('lists the failure of a shared source once, without the call', async () => {
  const { page } = opened((tool) => ({
    success: false,
    error: `${tool}(days=3): the Shelf panel cannot be reached`,
    duration_ms: 1,
  }));
  await page.open();
  await vi.waitFor(() => expect(page.stateOf({ tool: 'shelf_count' })?.error).toBeTruthy());
  expect(page.failures.map(({ load }) => errorText(load))).toEqual(['The Shelf panel cannot be reached']);
  expect(page.at).toBe(0);
  page.close();
});
