import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { FilesApi } from '../../shared/api/files';
import { FileExistence } from './existence';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('batches requests and caches the answers', async () => {
  const asked: string[][] = [];
  const existence = new FileExistence(
    () =>
      ({
        stamps: (paths: string[]) => {
          asked.push(paths);
          return Promise.resolve(Object.fromEntries(paths.map((path) => [path, path.startsWith('/w/a') ? '1' : ''])));
        },
      }) as unknown as FilesApi,
    () => '/w',
  );
  const both = Promise.all([existence.existing(['a.go', 'b.go']), existence.existing(['a.go', 'c.go'])]);
  await vi.runAllTimersAsync();
  expect((await both).map((set) => [...set])).toEqual([['a.go'], ['a.go']]);
  expect(asked).toEqual([['/w/a.go', '/w/b.go', '/w/c.go']]);
  expect([...(await existence.existing(['a.go', 'b.go']))]).toEqual(['a.go']);
  expect(asked).toHaveLength(1);
  vi.setSystemTime(Date.now() + 60_000);
  const later = existence.existing(['b.go']);
  await vi.runAllTimersAsync();
  expect([...(await later)]).toEqual([]);
  expect(asked).toHaveLength(2);
});

it('finds a file by each of its spellings', async () => {
  const asked: string[][] = [];
  const api = {
    stamps: (paths: string[]) => {
      asked.push(paths);
      return Promise.resolve(Object.fromEntries(paths.map((path) => [path, '1'])));
    },
  } as unknown as FilesApi;
  const existence = new FileExistence(
    () => api,
    () => '/w',
  );
  const found = existence.existing(['a.go', './a.go', '/w/a.go']);
  await vi.runAllTimersAsync();
  expect([...(await found)]).toEqual(['a.go', './a.go', '/w/a.go']);
  expect(asked).toEqual([['/w/a.go']]);
});
