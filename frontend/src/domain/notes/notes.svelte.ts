import type { FilesApi } from '../../shared/api/files';
import type { FileText, Json, Note, StoredEvent, TrashItem } from '../../shared/api/types';
import { t } from '../../shared/i18n';
import { failureText, type Actions } from '../actions';
import { plainError } from '../conversation/card';
import type { Toasts } from '../toasts.svelte';

export const NOTES_PANEL = 'notes';

/** Pause in typing before a note is saved, and longest time without saving it. */
const PAUSE_MS = 900;
const UNSAVED_MAX_MS = 5000;

/** The note that is open. */
export class OpenNote {
  name = $state('');
  path = '';
  /** The text of the file when it was last read or written. */
  saved = $state('');
  version = '';
  stamp = '';
  text = $state('');
  unsaved = $state(false);
  saving = $state(false);
  failed = $state('');
  /** The file on disk, if it is no longer the one that the text is based on; else null. */
  newer = $state.raw<FileText | null>(null);
  /** Counts the changes of `text` that the view has to show. */
  textRevision = $state(0);
  pending: (() => string) | null = null;
  since = 0;

  setFile(file: FileText): void {
    this.path = file.path;
    this.saved = file.text.replace(/\r\n?/g, '\n');
    this.version = file.version;
    this.stamp = file.stamp;
    this.newer = null;
    this.failed = '';
  }
}

/** The list of notes with its search, and the open note, which is saved during typing. */
export class Notes {
  list = $state.raw<Note[]>([]);
  words = $state('');
  loaded = $state(false);
  failed = $state('');
  note = $state.raw<OpenNote | null>(null);
  writing = $state(false);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #request = 0;
  #shown = 0;
  #saving: Promise<unknown> | null = null;

  constructor(
    private readonly actions: Actions,
    private readonly toasts: Toasts,
  ) {}

  private get api(): FilesApi {
    return this.actions.backend.files;
  }

  /** Reads the list. An answer to an earlier request than that of the shown list is dropped. */
  async load(): Promise<void> {
    const request = ++this.#request;
    try {
      const list = await this.api.notes(this.words.trim());
      if (request < this.#shown) return;
      this.#shown = request;
      this.list = list;
      this.failed = '';
      this.loaded = true;
    } catch (error) {
      if (request === this.#request) this.failed = failureText(error);
    }
  }

  async open(name: string): Promise<void> {
    if (!(await this.leave())) {
      this.toasts.error(t('notes.notLeft'));
      return;
    }
    const found = this.list.find((note) => note.name === name);
    if (!found) return;
    try {
      const file = await this.api.text(found.path);
      if (file.problem || file.missing) throw new Error(file.problem || t('notes.gone'));
      const note = new OpenNote();
      note.name = name;
      note.setFile(file);
      note.text = note.saved;
      this.note = note;
      this.writing = note.text === '';
    } catch (error) {
      this.toasts.error(failureText(error));
    }
  }

  /** Creates a note and opens it for editing. */
  async create(): Promise<void> {
    // This comes before the new note is created, or a failure would leave an empty note behind.
    if (!(await this.leave())) {
      this.toasts.error(t('notes.notLeft'));
      return;
    }
    let n = 1;
    while (this.list.some((note) => note.name === t('notes.new.name', { n }))) n++;
    const name = t('notes.new.name', { n });
    const failed = await this.#do('notes_write', { name, content: '', version: '' });
    if (failed) {
      this.toasts.error(failed);
      return;
    }
    this.words = '';
    await this.load();
    await this.open(name);
    this.writing = true;
  }

  /** Records that the text changed in the view. `text` is called to read it when the note is saved. */
  typed(text: () => string): void {
    const { note } = this;
    if (!note) return;
    note.unsaved = true;
    if (!note.pending) note.since = Date.now();
    note.pending = text;
    this.#later(note);
  }

  #later(note: OpenNote): void {
    clearTimeout(this.#timer);
    const wait = Math.max(0, Math.min(PAUSE_MS, note.since + UNSAVED_MAX_MS - Date.now()));
    this.#timer = setTimeout(() => void this.save(), wait);
  }

  #collect(note: OpenNote): void {
    if (!note.pending) return;
    note.text = note.pending();
    note.pending = null;
    note.unsaved = note.text !== note.saved;
  }

  /** Saves the text, but not over a change on disk unless its version is `over`. Returns whether all text is saved. */
  async save(over?: string): Promise<boolean> {
    clearTimeout(this.#timer);
    const { note } = this;
    if (!note) return true;
    while (this.#saving) await this.#saving;
    this.#collect(note);
    if (!note.unsaved || (note.newer && over === undefined)) return !note.unsaved;
    return this.#exclusive(note, () => this.#write(note, over ?? note.version));
  }

  /** Runs `change`, which alters the note's file. Callers wait for `#saving` first; `check` does nothing meanwhile. */
  #exclusive<T>(note: OpenNote, change: () => Promise<T>): Promise<T> {
    note.saving = true;
    const changing = change().finally(() => {
      note.saving = false;
      this.#saving = null;
    });
    this.#saving = changing;
    return changing;
  }

  async #write(note: OpenNote, version: string): Promise<boolean> {
    const content = note.text;
    let now = '';
    const failed = await this.#do('notes_write', { name: note.name, content, version }, (value) => {
      now = (value as { version: string }).version;
    });
    if (!failed) {
      note.saved = content;
      note.version = now;
      note.newer = null;
      note.failed = '';
      note.unsaved = note.pending !== null || note.text !== content;
      if (note.pending) this.#later(note);
      void this.load();
      return true;
    }
    const file = await this.api.text(note.path).catch(() => null);
    if (file && file.version !== note.version) note.newer = file;
    else note.failed = failed;
    return false;
  }

  keepMine(): Promise<boolean> {
    return this.save(this.note?.newer?.version ?? '');
  }

  /** Discards the text and loads the changed file. */
  reload(): void {
    const { note } = this;
    if (!note?.newer) return;
    clearTimeout(this.#timer);
    note.pending = null;
    note.setFile(note.newer);
    note.text = note.saved;
    note.unsaved = false;
    note.textRevision++;
  }

  /** Saves the open note, so that another can be shown. Returns false when that failed and the text would be lost. */
  async leave(): Promise<boolean> {
    return !this.note || (await this.save());
  }

  /** Renames the open note. Returns the error, "" on success. */
  async rename(to: string): Promise<string> {
    const { note } = this;
    const name = to.trim();
    if (!note || name === note.name) return '';
    await this.save();
    while (this.#saving) await this.#saving;
    if (name === note.name) return '';
    const failed = await this.#exclusive(note, async () => {
      const why = await this.#do('notes_rename', { name: note.name, to: name });
      if (why) return why;
      note.path = note.path.slice(0, note.path.lastIndexOf('/') + 1) + `${name}.md`;
      note.name = name;
      return '';
    });
    if (failed) return failed;
    await this.load();
    return '';
  }

  async moveToTrash(): Promise<void> {
    const { note } = this;
    if (!note) return;
    await this.save();
    while (this.#saving) await this.#saving;
    let id = '';
    const failed = await this.#exclusive(note, () =>
      this.#do('notes_trash', { name: note.name }, (value) => (id = (value as TrashItem).id)),
    );
    if (failed) {
      this.toasts.error(failed);
      return;
    }
    clearTimeout(this.#timer);
    this.note = null;
    await this.load();
    this.toasts.ok(t('notes.trashed', { name: note.name }), {
      label: t('action.undo'),
      run: () =>
        void this.#do('notes_restore', { id }).then(async (why) => {
          if (why) this.toasts.error(why);
          await this.load();
          if (!why) await this.open(note.name);
        }),
    });
  }

  /** Checks whether the open note has changed on disk. An answer is dropped when the note was saved or renamed since. */
  async check(): Promise<void> {
    const { note } = this;
    if (!note || note.saving) return;
    const { path, version } = note;
    const same = () => note === this.note && !note.saving && note.path === path && note.version === version;
    const stamps = await this.api.stamps([path]).catch(() => null);
    const stamp = stamps?.[path];
    if (stamp === undefined || stamp === note.stamp || !same()) return;
    const file = await this.api.text(path).catch(() => null);
    if (!file || !same()) return;
    note.stamp = stamp;
    this.#collect(note);
    if (file.version === version && !file.missing) {
      note.newer = null;
      note.unsaved = note.text !== note.saved;
      return;
    }
    if (note.unsaved || file.missing) {
      note.newer = file;
      note.unsaved = true;
      return;
    }
    note.setFile(file);
    note.text = note.saved;
    note.textRevision++;
  }

  onEvent(event: StoredEvent): void {
    if (!this.loaded || event.kind !== 'call.ended') return;
    const { tool, changed } = event.data;
    if (!tool.startsWith('notes_') || !changed?.length) return;
    void this.load();
    void this.check();
  }

  async #do(tool: string, args: Json, then?: (value: unknown) => void): Promise<string> {
    try {
      const result = await this.actions.backend.execute(tool, args, NOTES_PANEL);
      if (!result.success) return plainError(tool, result.error ?? '');
      then?.(result.result);
      return '';
    } catch (error) {
      return failureText(error);
    }
  }
}
