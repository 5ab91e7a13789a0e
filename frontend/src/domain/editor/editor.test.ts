import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Backend } from '../../shared/api/backend';
import type { EditorDraft, EditorSession, FileText, Json, Result, StoredEvent } from '../../shared/api/types';
import type { FilesApi } from '../../shared/api/files';
import { Actions } from '../actions';
import { Store } from '../store/store.svelte';
import { Toasts } from '../toasts.svelte';
import { Editor } from './editor.svelte';
import { lineEndingsOf } from './lineendings';

/** Files by path, with versions like those of the program. */
class Disk {
  files = new Map<string, string>();
  drafts = new Map<string, EditorDraft>();
  session: EditorSession['state'] = { tabs: [], active: '' };
  calls: string[] = [];
  fails = '';

  text(path: string): FileText {
    const text = this.files.get(path);
    const base = { path, shown: path.slice(3), name: path.split('/').at(-1)!, size: text?.length ?? 0 };
    if (text === undefined) return { ...base, text: '', version: '', stamp: '', missing: true };
    return { ...base, text, version: `v:${text}`, stamp: `s:${text}` };
  }

  api = {
    text: async (path: string) => this.text(path),
    stamps: async (paths: string[]) => Object.fromEntries(paths.map((path) => [path, this.text(path).stamp])),
    editor: async () => ({ state: this.session, drafts: [...this.drafts.values()] }),
    saveEditor: async (state: EditorSession['state']) => void (this.session = state),
    saveDraft: async (draft: EditorDraft) => {
      if (this.fails) throw new Error(this.fails);
      this.calls.push('draft');
      this.drafts.set(draft.path, draft);
    },
    deleteDraft: async (path: string) => void this.drafts.delete(path),
  } as unknown as FilesApi;

  execute = async (tool: string, args: Json): Promise<Result> => {
    const { filePath, content, version } = args as Record<string, string>;
    this.calls.push(tool);
    if (this.text(filePath!).version !== version) return { success: false, error: 'has changed', duration_ms: 1 };
    this.files.set(filePath!, content!);
    return { success: true, result: { version: `v:${content!}` }, duration_ms: 1 };
  };
}

let disk: Disk;
let editor: Editor;
const shown = vi.fn();
const start = () => {
  const store = new Store();
  const toasts = new Toasts();
  const backend = { files: disk.api, execute: disk.execute } as unknown as Backend;
  editor = new Editor(store, new Actions(backend, store, toasts), toasts, shown);
  return { store, toasts };
};

beforeEach(() => {
  vi.useFakeTimers();
  disk = new Disk();
  start();
});

const A = '/w/a.txt';
const type = (text: string) => editor.typed(A, () => text);

describe('typed text', () => {
  it('is saved as a draft once when typing pauses', async () => {
    disk.files.set(A, 'one');
    await editor.open(A);
    for (const text of ['on', 'o', '', 't', 'tw', 'two']) {
      type(text);
      await vi.advanceTimersByTimeAsync(50);
    }
    expect(editor.current?.unsaved).toBe(true);
    expect(disk.calls).toEqual([]);
    await vi.advanceTimersByTimeAsync(400);
    expect(disk.calls).toEqual(['draft']);
    expect(disk.drafts.get(A)).toEqual({ path: A, text: 'two', version: 'v:one' });
  });

  it('is saved as a draft during typing without a pause', async () => {
    disk.files.set(A, 'one');
    await editor.open(A);
    for (let i = 0; i < 30; i++) {
      type('x'.repeat(i));
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(disk.calls.length).toBe(1);
  });

  it('is restored at its position after a restart, with a notice if the file changed', async () => {
    disk.files.set(A, 'one');
    await editor.open(A, 7);
    type('mine');
    await editor.flushAll();
    await editor.saveNow();
    disk.files.set(A, 'theirs');
    start();
    await editor.load();
    expect(editor.active).toBe(A);
    expect(editor.current).toMatchObject({ text: 'mine', unsaved: true, line: 7 });
    expect(editor.current?.newer?.text).toBe('theirs');
    expect(await editor.keepMine(A)).toBe(true);
    expect(disk.files.get(A)).toBe('mine');
    expect(disk.drafts.size).toBe(0);
  });

  it('stays, with an error, when the draft cannot be saved', async () => {
    disk.files.set(A, 'one');
    await editor.open(A);
    disk.fails = 'the disk is full';
    type('two');
    await editor.flushAll();
    expect(editor.current?.draftError).toContain('the disk is full');
    expect(editor.current?.text).toBe('two');
  });
});

describe('saving', () => {
  it('overwrites the version that was read, and fails when the file changed', async () => {
    disk.files.set(A, 'one');
    await editor.open(A);
    type('two');
    expect(await editor.save(A)).toBe(true);
    expect(disk.files.get(A)).toBe('two');
    expect(editor.current?.unsaved).toBe(false);
    disk.files.set(A, 'theirs');
    type('three');
    expect(await editor.save(A)).toBe(false);
    expect(disk.files.get(A)).toBe('theirs');
    expect(editor.current?.newer?.text).toBe('theirs');
    expect(editor.current?.failed).toBe('');
    editor.reload(A);
    expect(editor.current).toMatchObject({ text: 'theirs', unsaved: false, newer: null });
  });

  it('creates a new file, and preserves the line endings of an existing one', async () => {
    await editor.open(A);
    expect(editor.current?.file.missing).toBe(true);
    type('new');
    expect(await editor.save(A)).toBe(true);
    expect(editor.current?.file.missing).toBe(false);
    disk.files.set('/w/dos.txt', 'a\r\nb\r\n');
    await editor.open('/w/dos.txt');
    expect(editor.current?.text).toBe('a\nb\n');
    editor.typed('/w/dos.txt', () => 'a\nc\n');
    expect(await editor.save('/w/dos.txt')).toBe(true);
    expect(disk.files.get('/w/dos.txt')).toBe('a\r\nc\r\n');
  });

  it('loses nothing that is typed while saving', async () => {
    disk.files.set(A, 'one');
    await editor.open(A);
    type('two');
    const saving = editor.save(A);
    await Promise.resolve();
    type('two and more');
    await saving;
    await editor.flushAll();
    expect(editor.current).toMatchObject({ text: 'two and more', unsaved: true });
    expect(disk.drafts.get(A)?.version).toBe('v:two');
  });
});

describe('a file that another program changes', () => {
  it('is reloaded without unsaved text, and reported with it', async () => {
    disk.files.set(A, 'one');
    await editor.open(A);
    disk.files.set(A, 'two');
    await editor.check();
    expect(editor.current).toMatchObject({ text: 'two', unsaved: false, textRevision: 1 });
    type('mine');
    disk.files.set(A, 'three');
    await editor.check();
    expect(editor.current?.newer?.text).toBe('three');
    disk.files.delete(A);
    await editor.check();
    expect(editor.current?.newer?.missing).toBe(true);
    expect(await editor.keepMine(A)).toBe(true);
    expect(disk.files.get(A)).toBe('mine');
  });

  it('is reloaded at once when the assistant saves it', async () => {
    const { store } = start();
    disk.files.set(A, 'one');
    await editor.open(A);
    disk.files.set(A, 'two');
    store.apply({ kind: 'event', event: event('call.started', { tool: 'write_file', args: {}, origin: 'baseline' }) });
    editor.onEvent(event('call.ended', { tool: 'write_file', status: 'done', changed: [A] }));
    await vi.waitFor(() => expect(editor.current?.text).toBe('two'));
  });
});

const event = (kind: string, data: object): StoredEvent =>
  ({ seq: 1, time: '', kind, call: 'c1', data }) as unknown as StoredEvent;

it('opens a file that the assistant opens without showing the panel', async () => {
  const { store } = start();
  shown.mockClear();
  disk.files.set(A, 'one');
  const call = {
    tool: 'editor_reveal_line',
    args: { filePath: A, line: 3 },
    origin: 'panel',
    owner: 'code-editor',
    caller: 'model',
  };
  store.apply({ kind: 'event', event: event('call.started', call) });
  editor.onEvent(event('call.ended', { tool: 'editor_reveal_line', status: 'done' }));
  await vi.waitFor(() => expect(editor.current).toMatchObject({ path: A, line: 3, revealRevision: 1 }));
  expect(shown).not.toHaveBeenCalled();
});

it('detects line endings', () => {
  expect(['a', 'a\nb', 'a\r\nb\r\n', 'a\r\nb\n', 'a\rb'].map((text) => lineEndingsOf(text).name)).toEqual([
    'LF',
    'LF',
    'CRLF',
    'mixed',
    'mixed',
  ]);
});
