import { beforeEach, expect, it, vi } from 'vitest';
import type { Backend } from '../../shared/api/backend';
import type { Json, Result } from '../../shared/api/types';
import type { FilesApi } from '../../shared/api/files';
import { Actions } from '../actions';
import { Store } from '../store/store.svelte';
import { Toasts } from '../toasts.svelte';
import { Notes } from './notes.svelte';

const files = new Map<string, string>();
let writes: string[] = [];
let refuses = '';
let notes: Notes;
/** Runs once, between a request for the list and its answer. */
let meanwhile: (() => void) | null = null;
/** How many of the next requests for the list are never answered. */
let lost = 0;
/** Runs between the renaming of a file and the answer. */
let afterRename: (() => Promise<void>) | null = null;
let toasts: Toasts;

const path = (name: string) => `/d/notes/${name}.md`;
const text = (at: string) => {
  const is = files.get(at);
  const known = { path: at, shown: at, name: at, size: 0 };
  return is === undefined
    ? { ...known, text: '', version: '', stamp: '', missing: true }
    : { ...known, text: is, version: `v:${is}`, stamp: `s:${is}` };
};
const execute = async (tool: string, args: Json): Promise<Result> => {
  const a = args as Record<string, string>;
  if (refuses) return { success: false, error: refuses, duration_ms: 1 };
  if (tool === 'notes_write') {
    writes.push(a.content!);
    if (a.version !== text(path(a.name!)).version) return { success: false, error: 'has changed', duration_ms: 1 };
    files.set(path(a.name!), a.content!);
    return { success: true, result: { version: `v:${a.content!}` }, duration_ms: 1 };
  }
  if (tool === 'notes_rename') {
    files.set(path(a.to!), files.get(path(a.name!))!);
    files.delete(path(a.name!));
    await afterRename?.();
  }
  if (tool === 'notes_trash') files.delete(path(a.name!));
  return { success: true, result: { id: 'i' }, duration_ms: 1 };
};

beforeEach(async () => {
  vi.useFakeTimers();
  files.clear();
  files.set(path('Ideas'), 'one');
  writes = [];
  refuses = '';
  meanwhile = null;
  afterRename = null;
  lost = 0;
  const api = {
    text: async (at: string) => text(at),
    stamps: async (paths: string[]) => Object.fromEntries(paths.map((at) => [at, text(at).stamp])),
    notes: async () => {
      if (lost > 0) {
        lost--;
        return new Promise(() => undefined);
      }
      const now = meanwhile;
      meanwhile = null;
      now?.();
      return [...files.keys()].map((at) => ({ name: at.slice(9, -3), path: at, size: 1, modified: '' }));
    },
  } as unknown as FilesApi;
  toasts = new Toasts();
  notes = new Notes(new Actions({ files: api, execute } as unknown as Backend, new Store(), toasts), toasts);
  await notes.load();
  await notes.open('Ideas');
});

it('opens a new note although the list is read again meanwhile', async () => {
  meanwhile = () => {
    lost = 1;
    void notes.load();
  };
  await notes.create();
  expect(notes.note?.name).toBe('New note 1');
});

it('creates no note while the open one cannot be saved', async () => {
  notes.typed(() => 'mine');
  refuses = 'the disk is full';
  await notes.create();
  expect([...files.keys()]).toEqual([path('Ideas')]);
  expect(notes.note?.name).toBe('Ideas');

  refuses = '';
  files.set(path('Ideas'), 'theirs');
  await notes.create();
  expect([...files.keys()]).toEqual([path('Ideas')]);
});

it('saves once when typing pauses', async () => {
  for (const t of ['t', 'tw', 'two']) {
    notes.typed(() => t);
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(writes).toEqual([]);
  await vi.advanceTimersByTimeAsync(900);
  expect(writes).toEqual(['two']);
  expect(notes.note).toMatchObject({ text: 'two', unsaved: false });
});

it('saves before another note is opened', async () => {
  files.set(path('Other'), 'o');
  await notes.load();
  notes.typed(() => 'two');
  await notes.open('Other');
  expect(files.get(path('Ideas'))).toBe('two');
  expect(notes.note?.name).toBe('Other');
});

it('overwrites another program’s change only on request', async () => {
  notes.typed(() => 'mine');
  files.set(path('Ideas'), 'theirs');
  expect(await notes.save()).toBe(false);
  expect(files.get(path('Ideas'))).toBe('theirs');
  expect(notes.note?.newer?.text).toBe('theirs');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(writes).toEqual(['mine']);
  expect(await notes.keepMine()).toBe(true);
  expect(files.get(path('Ideas'))).toBe('mine');
});

it('reloads a file that another program changed when nothing is unsaved', async () => {
  files.set(path('Ideas'), 'theirs');
  await notes.check();
  expect(notes.note).toMatchObject({ text: 'theirs', unsaved: false, textRevision: 1 });
  notes.typed(() => 'mine');
  files.delete(path('Ideas'));
  await notes.check();
  expect(notes.note?.newer?.missing).toBe(true);
  expect(await notes.keepMine()).toBe(true);
  expect(files.get(path('Ideas'))).toBe('mine');
});

it('keeps the text and shows the error when saving fails', async () => {
  refuses = 'the disk is full';
  notes.typed(() => 'two');
  expect(await notes.save()).toBe(false);
  expect(notes.note).toMatchObject({ text: 'two', unsaved: true });
  expect(notes.note?.failed).toContain('the disk is full');
  refuses = '';
  expect(await notes.save()).toBe(true);
});

it('saves before it renames', async () => {
  notes.typed(() => 'two');
  expect(await notes.rename('Plans')).toBe('');
  expect([...files]).toEqual([[path('Plans'), 'two']]);
  expect(notes.note).toMatchObject({ name: 'Plans', path: path('Plans') });
});

it('gives a new note a unique name', async () => {
  await notes.create();
  await notes.create();
  expect(files.has(path('New note 1')) && files.has(path('New note 2'))).toBe(true);
  expect(notes.writing).toBe(true);
});

it('is not deleted when its file is looked for while it is renamed, and a second rename waits', async () => {
  const early = notes.check();
  afterRename = () => notes.check();
  const both = [notes.rename('Plans'), notes.rename('Plans')];
  await Promise.all([early, ...both]);
  expect(notes.note).toMatchObject({ name: 'Plans', newer: null, unsaved: false });
  expect([...files.keys()]).toEqual([path('Plans')]);

  notes.typed(() => 'two');
  await Promise.all([notes.rename('Ideas'), notes.save()]);
  expect([...files.entries()]).toEqual([[path('Ideas'), 'two']]);
});

it('no longer says that the file is gone when it is back', async () => {
  files.delete(path('Ideas'));
  await notes.check();
  expect(notes.note?.newer?.missing).toBe(true);
  files.set(path('Ideas'), 'one');
  await notes.check();
  expect(notes.note).toMatchObject({ newer: null, unsaved: false });
});
