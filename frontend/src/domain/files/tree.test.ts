import { beforeEach, expect, it } from 'vitest';
import type { Backend } from '../../shared/api/backend';
import type { Folder, Json, Result, StoredEvent } from '../../shared/api/types';
import type { FilesApi } from '../../shared/api/files';
import { Actions } from '../actions';
import { Store } from '../store/store.svelte';
import { Toasts } from '../toasts.svelte';
import { FileTree } from './tree.svelte';

const disk = new Map<string, string[]>();
let asked: [string, Json][] = [];
let answer: Result = { success: true, duration_ms: 1 };
let reads: string[] = [];
let toasts: Toasts;
let tree: FileTree;

const folder = (path: string): Folder => {
  const names = disk.get(path);
  if (!names) throw new Error('gone');
  const rows = names.map((name) => ({
    name,
    path: `${path}/${name}`,
    kind: disk.has(`${path}/${name}`) ? 'folder' : 'file',
    size: 1,
    hidden: name.startsWith('.'),
  }));
  return { path, shown: '.', stamp: names.join(), rows };
};

beforeEach(() => {
  disk.clear();
  disk.set('/w', ['src', '.git', 'a.txt', 'b.txt']).set('/w/src', ['deep', 'main.go']).set('/w/src/deep', ['x']);
  asked = [];
  reads = [];
  answer = { success: true, duration_ms: 1 };
  const api = {
    folder: async (path: string) => {
      reads.push(path || '/w');
      return folder(path || '/w');
    },
    stamps: async (paths: string[]) => Object.fromEntries(paths.map((path) => [path, disk.get(path)?.join() ?? ''])),
    trash: async () => [],
  } as unknown as FilesApi;
  const execute = async (tool: string, args: Json) => {
    asked.push([tool, args]);
    return answer;
  };
  toasts = new Toasts();
  tree = new FileTree(new Actions({ files: api, execute } as unknown as Backend, new Store(), toasts), toasts);
});

const names = () => tree.rows.map((row) => `${row.level} ${row.name}`);

it('lists the rows of open folders without hidden files', async () => {
  await tree.load();
  expect(names()).toEqual(['1 src', '1 a.txt', '1 b.txt']);
  await tree.open('/w/src');
  expect(names()).toEqual(['1 src', '2 deep', '2 main.go', '1 a.txt', '1 b.txt']);
  tree.hidden = true;
  expect(names()).toContain('1 .git');
  tree.filter = 'MAIN';
  expect(names()).toEqual(['1 src', '2 main.go']);
});

it('enters and leaves folders by keys', async () => {
  await tree.load();
  tree.step('first');
  tree.expand();
  await Promise.resolve();
  await Promise.resolve();
  expect(tree.current?.open).toBe(true);
  tree.expand();
  expect(tree.selected).toBe('/w/src/deep');
  tree.collapse();
  expect(tree.selected).toBe('/w/src');
  tree.collapse();
  expect(tree.rows.length).toBe(3);
  tree.step('last');
  tree.step(1);
  expect(tree.selected).toBe('/w/b.txt');
});

it('reads again only the folders that changed', async () => {
  await tree.load();
  await tree.open('/w/src');
  reads = [];
  await tree.check();
  expect(reads).toEqual([]);
  disk.set('/w/src', ['deep', 'main.go', 'new.go']);
  await tree.check();
  expect(reads).toEqual(['/w/src']);
  expect(names()).toContain('2 new.go');
  disk.delete('/w/src');
  await tree.check();
  expect(tree.opened.size).toBe(0);
});

it('reads a folder at once when a tool changed it', async () => {
  await tree.load();
  disk.set('/w', ['src', 'a.txt']);
  tree.onEvent({ kind: 'call.ended', data: { changed: ['/w/b.txt'] } } as unknown as StoredEvent);
  await Promise.resolve();
  await Promise.resolve();
  expect(names()).toEqual(['1 src', '1 a.txt']);
});

it('moves to the trash with undo, and returns an error when that fails', async () => {
  await tree.load();
  tree.selected = '/w/a.txt';
  answer = { success: true, result: { id: 'abc' }, duration_ms: 1 };
  await tree.moveToTrash('/w/a.txt');
  expect(asked).toEqual([['files_trash', { path: '/w/a.txt' }]]);
  expect(tree.selected).toBe('/w/b.txt');
  toasts.list[0]?.action?.run();
  await Promise.resolve();
  expect(asked.at(-1)).toEqual(['files_restore', { id: 'abc' }]);
  answer = { success: false, error: 'b.txt is there already, so nothing was done', duration_ms: 1 };
  expect(await tree.move('/w/a.txt', 'b.txt')).toContain('is there already');
});

it('creates new files in the selected folder', async () => {
  await tree.load();
  expect(tree.newFileFolder).toBe('');
  tree.selected = '/w/src';
  expect(tree.newFileFolder).toBe('src/');
  disk.set('/w/src/deep', ['x', 'y']);
  expect(await tree.create('file', 'src/deep/y')).toBe('');
  expect(tree.selected).toBe('/w/src/deep/y');
  expect(tree.current?.level).toBe(3);
});
