import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Json, SurfaceMarks } from '../../shared/api/types';
import { PanelMarks } from './panelmarks.svelte';

beforeEach(() => {
  vi.useFakeTimers();
  Element.prototype.getBoundingClientRect = () => ({ x: 0, y: 0, width: 500, height: 500 }) as DOMRect;
  document.body.innerHTML = '<main data-surface="notes"><iframe></iframe></main>';
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const surfaceMarks = {
  version: 1,
  doc: 'd',
  frame_doc: 'f',
  marks: [
    { handle: 1, element: { id: 1 } },
    { handle: 2, element: { id: 2, frame: 'panel:notes' } },
  ],
} as unknown as SurfaceMarks;

it('hides only the numbers of a frame that does not answer', async () => {
  const boxes = [[10, 10, 20, 20]];
  const marks = new PanelMarks((frame) => (frame ? new Promise<Json>(() => {}) : Promise.resolve([...boxes])));
  marks.replace('notes', surfaceMarks);
  await vi.advanceTimersByTimeAsync(0);
  expect(marks.visible.map(({ id, box }) => [id, box.x])).toEqual([[1, 10]]);
  boxes[0] = [40, 10, 20, 20];
  await vi.advanceTimersByTimeAsync(1000);
  expect(marks.visible.map(({ id, box }) => [id, box.x])).toEqual([[1, 40]]);
});

it('does not request boxes while no numbers are drawn or the window is hidden', async () => {
  let asked = 0;
  let drawn = true;
  const marks = new PanelMarks(
    (frame) => (asked++, Promise.resolve(frame ? [[1, 1, 5, 5]] : [[10, 10, 20, 20]])),
    () => drawn,
  );
  marks.replace('notes', surfaceMarks);
  await vi.advanceTimersByTimeAsync(1000);
  expect(marks.visible).toHaveLength(2);
  expect(asked).toBeGreaterThan(4);
  drawn = false;
  await vi.advanceTimersByTimeAsync(300);
  asked = 0;
  await vi.advanceTimersByTimeAsync(5000);
  expect(asked).toBe(0);
  drawn = true;
  const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
  marks.follow();
  await vi.advanceTimersByTimeAsync(5000);
  expect(asked).toBe(0);
  hidden.mockReturnValue(false);
  marks.follow();
  await vi.advanceTimersByTimeAsync(300);
  expect(asked).toBeGreaterThan(1);
});
