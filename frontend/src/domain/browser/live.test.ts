import { afterEach, expect, test, vi } from 'vitest';
import type { Frame } from '../../shared/api/frame';
import type { Session } from '../session/session.svelte';
import { LiveView } from './live.svelte';

afterEach(() => vi.unstubAllGlobals());

const frame = (n: number): Frame => ({
  header: { frame: n, tab: 1, width: 10, height: 10, scroll_x: 0, scroll_y: 0 },
  picture: new Blob([String(n)]),
});

test('does not draw a frame that is decoded after a newer one', async () => {
  const ready = new Map<Blob, () => void>();
  vi.stubGlobal(
    'createImageBitmap',
    (picture: Blob) =>
      new Promise((resolve) => {
        ready.set(picture, () => resolve({ width: 10, height: 10, close: () => undefined }));
      }),
  );
  const sent: unknown[] = [];
  const view = new LiveView({ send: (message: unknown) => sent.push(message) } as unknown as Session);
  const drawImage = vi.fn();
  view.attach({ width: 10, height: 10, getContext: () => ({ drawImage }) } as unknown as HTMLCanvasElement);

  const [older, newer] = [frame(1), frame(2)];
  const both = [view.draw(older), view.draw(newer)];
  ready.get(newer.picture)!();
  await both[1];
  ready.get(older.picture)!();
  await both[0];

  expect(drawImage).toHaveBeenCalledTimes(1);
  expect(view.header?.frame).toBe(2);
  expect(sent).toEqual([
    { v: 1, kind: 'live.ack', frame: 2 },
    { v: 1, kind: 'live.ack', frame: 1 },
  ]);
  view.attach(null);
});
