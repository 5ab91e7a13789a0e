import type { FilesApi } from '../../shared/api/files';
import type { EditorDraft, EditorTab, FileText, Result, StoredEvent } from '../../shared/api/types';
import { t } from '../../shared/i18n';
import { failureText, type Actions } from '../actions';
import { plainError } from '../conversation/card';
import type { Store } from '../store/store.svelte';
import type { Toasts } from '../toasts.svelte';
import { lineEndingsOf } from './lineendings';
import { OpenFile } from './openfile.svelte';

export const EDITOR_PANEL = 'code-editor';

/** Pause in typing before the draft is saved, longest time without saving it, and delay before the tabs are saved. */
const PAUSE_MS = 400;
const UNSAVED_MAX_MS = 2000;
const STATE_MS = 700;

/** A comparison of the unsaved text, or of a proposed text, with the file. */
interface Comparison {
  path: string;
  /** The proposed text; null for a comparison of the unsaved text. */
  proposed: string | null;
}

/** The code editor: open files, drafts of unsaved text, and saving that overwrites others' changes only on request. */
export class Editor {
  files = $state.raw<OpenFile[]>([]);
  active = $state('');
  loaded = $state(false);
  failed = $state('');
  comparison = $state.raw<Comparison | null>(null);
  /** The requested search in files; `n` counts the requests. */
  searchRequest = $state.raw<{ query: string; regex: boolean; case: boolean; glob: string; n: number } | null>(null);
  selection = '';
  #loading: Promise<void> | null = null;
  #timers = new Map<string, ReturnType<typeof setTimeout>>();
  #saveTimer: ReturnType<typeof setTimeout> | undefined;
  #saved = '';

  constructor(
    private readonly store: Store,
    private readonly actions: Actions,
    private readonly toasts: Toasts,
    private readonly show: () => void,
  ) {}

  private get api(): FilesApi {
    return this.actions.backend.files;
  }

  get current(): OpenFile | undefined {
    return this.files.find((file) => file.path === this.active);
  }

  get unsaved(): OpenFile[] {
    return this.files.filter((file) => file.unsaved);
  }

  /** Loads the saved tabs and drafts unless they are loaded already. */
  load(): Promise<void> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = null;
      this.failed = failureText(error);
    });
    return this.#loading;
  }

  async #load(): Promise<void> {
    const { state, drafts } = await this.api.editor();
    const tabs = [...state.tabs];
    for (const draft of drafts)
      if (!tabs.some((tab) => tab.path === draft.path)) tabs.push({ path: draft.path, shown: draft.path });
    const files = await Promise.all(tabs.map((tab) => this.#reopen(tab, drafts)));
    this.files = files.filter((file) => file !== null);
    this.active = this.files.some((f) => f.path === state.active) ? state.active : (this.files[0]?.path ?? '');
    this.loaded = true;
    this.failed = '';
  }

  async #reopen(tab: EditorTab, drafts: EditorDraft[]): Promise<OpenFile | null> {
    const draft = drafts.find((one) => one.path === tab.path);
    const open = new OpenFile(tab.path);
    try {
      open.setFile(await this.api.text(tab.path));
    } catch (error) {
      if (!draft) return null;
      open.setFile({ ...open.file, path: tab.path, shown: tab.shown, name: '', problem: '' });
      open.failed = failureText(error);
    }
    if (open.file.missing && !draft) return null;
    open.text = draft?.text ?? open.disk;
    open.line = tab.line ?? 1;
    open.column = tab.column ?? 1;
    open.top = tab.top ?? 1;
    open.unsaved = draft !== undefined && open.text !== open.disk;
    if (draft && open.unsaved && draft.version !== open.file.version) {
      open.newer = open.file;
      open.file = { ...open.file, version: draft.version };
    }
    return open;
  }

  /** Opens a file and, unless `line` is 0, moves the cursor there. `shows` brings the panel to the front. */
  async open(path: string, line = 0, shows = true): Promise<void> {
    await this.load();
    if (shows) this.show();
    try {
      const file = await this.api.text(path);
      let open = this.files.find((one) => one.path === file.path);
      if (!open) {
        open = new OpenFile(file.path);
        open.setFile(file);
        open.text = open.disk;
        this.files = [...this.files, open];
      } else this.#refresh(open, file);
      this.active = open.path;
      this.comparison = null;
      if (line > 0) this.#reveal(open, line);
      else if (shows) open.revealRevision++;
      void this.saveNow();
    } catch (error) {
      this.toasts.error(failureText(error));
    }
  }

  #reveal(open: OpenFile, line: number): void {
    open.line = line;
    open.column = 1;
    open.revealRevision++;
  }

  choose(path: string): void {
    this.active = path;
    this.comparison = null;
    void this.saveNow();
    void this.check([path]);
  }

  /** Records that the text changed in the view. `text` is called to read it when the draft is saved. */
  typed(path: string, text: () => string): void {
    const open = this.#of(path);
    if (!open) return;
    open.unsaved = true;
    if (!open.pending) open.since = Date.now();
    open.pending = text;
    clearTimeout(this.#timers.get(path));
    const wait = Math.max(0, Math.min(PAUSE_MS, open.since + UNSAVED_MAX_MS - Date.now()));
    this.#timers.set(
      path,
      setTimeout(() => void this.flush(path), wait),
    );
  }

  /** Records the cursor, the first visible line and the selection of the view. */
  moved(path: string, line: number, column: number, top: number, selection: string): void {
    const open = this.#of(path);
    if (!open) return;
    open.line = line;
    open.column = column;
    open.top = top;
    this.selection = selection;
    this.saveSoon();
  }

  /** Reads the typed text from the view and saves it as a draft, or deletes the draft if it equals the file. */
  async flush(path: string): Promise<void> {
    const open = this.#of(path);
    if (!open?.pending) return;
    clearTimeout(this.#timers.get(path));
    open.text = open.pending();
    open.pending = null;
    open.unsaved = open.text !== open.disk;
    this.saveSoon();
    try {
      if (open.unsaved) await this.api.saveDraft({ path, text: open.text, version: open.file.version });
      else await this.api.deleteDraft(path);
      open.draftError = '';
    } catch (error) {
      open.draftError = failureText(error);
    }
  }

  async flushAll(): Promise<void> {
    await Promise.all(this.files.map((file) => this.flush(file.path)));
  }

  /** Saves the text, but not over a change on disk unless its version is `over`. Returns whether it was saved. */
  async save(path: string, over = ''): Promise<boolean> {
    const open = this.#of(path);
    if (!open || open.saving || !open.editable) return false;
    await this.flush(path);
    open.saving = true;
    open.failed = '';
    try {
      const text = open.text;
      const content = open.lineEndings.write(text);
      const args = { filePath: path, content, version: over || (open.file.missing ? '' : open.file.version) };
      const result = await this.actions.backend.execute('editor_save_file', args, EDITOR_PANEL);
      if (!result.success) return await this.#saveRefused(open, result);
      const { version } = result.result as { version: string };
      const lineEndings = open.lineEndings;
      open.setFile({ ...open.file, text: content, version, missing: false, size: new Blob([content]).size });
      open.lineEndings = lineEndings;
      if (!open.pending) open.unsaved = open.text !== text;
      if (!open.unsaved) await this.api.deleteDraft(path).catch(() => {});
      void this.check([path]);
      return true;
    } catch (error) {
      open.failed = failureText(error);
      return false;
    } finally {
      open.saving = false;
      this.saveSoon();
    }
  }

  /** Handles a refused save: offers to compare a changed file, and shows any other error. */
  async #saveRefused(open: OpenFile, result: Result): Promise<boolean> {
    open.saving = false;
    await this.check([open.path]);
    if (!open.newer) open.failed = plainError('editor_save_file', result.error ?? '');
    return false;
  }

  /** Overwrites the changed file with the text. Returns false when that failed. */
  async keepMine(path: string): Promise<boolean> {
    const open = this.#of(path);
    const newer = open?.newer;
    if (!open || !newer) return false;
    open.file = { ...open.file, missing: newer.missing };
    this.comparison = null;
    return this.save(path, newer.missing ? '' : newer.version);
  }

  /** Discards the text and loads the changed file. */
  reload(path: string): void {
    const open = this.#of(path);
    if (!open) return;
    const newer = open.newer ?? open.file;
    open.pending = null;
    open.setFile(newer);
    open.text = open.disk;
    open.unsaved = false;
    open.failed = '';
    open.textRevision++;
    this.comparison = null;
    void this.api.deleteDraft(path).catch(() => {});
    this.saveSoon();
  }

  /** Closes a file and discards its unsaved text. */
  close(path: string): void {
    const at = this.files.findIndex((file) => file.path === path);
    const open = this.files[at];
    if (!open) return;
    clearTimeout(this.#timers.get(path));
    open.pending = null;
    if (open.unsaved) void this.api.deleteDraft(path).catch(() => {});
    this.files = this.files.filter((file) => file !== open);
    if (this.active === path) this.active = (this.files[at] ?? this.files[at - 1])?.path ?? '';
    if (this.comparison?.path === path) this.comparison = null;
    void this.saveNow();
  }

  /** Checks whether the open files have changed on disk. */
  async check(paths = this.files.map((file) => file.path)): Promise<void> {
    if (paths.length === 0) return;
    const stamps = await this.api.stamps(paths).catch(() => ({}) as Record<string, string>);
    const other = paths.filter((path) => {
      const open = this.#of(path);
      const seen = open?.newer ?? open?.file;
      return seen && stamps[path] !== undefined && stamps[path] !== seen.stamp;
    });
    await Promise.all(
      other.map(async (path) => {
        const file = await this.api.text(path).catch(() => null);
        const open = this.#of(path);
        if (file && open && !open.saving) this.#refresh(open, file);
      }),
    );
  }

  /** Updates an open file from disk. If its text is unsaved or the file is deleted, `newer` is set instead. */
  #refresh(open: OpenFile, file: FileText): void {
    const missing = Boolean(file.missing);
    if (file.version === open.file.version && missing === Boolean(open.file.missing)) {
      open.file = { ...open.file, stamp: file.stamp, read_only: file.read_only, modified: file.modified };
      open.newer = null;
      return;
    }
    const same = !open.pending && lineEndingsOf(file.text).read(file.text) === open.text && !missing;
    if (same || (!open.unsaved && !missing)) {
      open.setFile(file);
      if (same) {
        open.unsaved = false;
        void this.api.deleteDraft(open.path).catch(() => {});
      } else {
        open.text = open.disk;
        open.textRevision++;
      }
      return;
    }
    open.newer = file;
    open.unsaved = true;
  }

  compare(path: string, proposed: string | null = null): void {
    void this.flush(path);
    this.active = path;
    this.comparison = { path, proposed };
  }

  search(query: string, how: { regex?: boolean; case?: boolean; glob?: string } = {}): void {
    const { regex = false, case: matchCase = false, glob = '' } = how;
    this.searchRequest = { query, regex, case: matchCase, glob, n: (this.searchRequest?.n ?? 0) + 1 };
  }

  /** Checks files that a call changed, and shows what anyone but the person opens, compares or searches. */
  onEvent(event: StoredEvent): void {
    if (event.kind !== 'call.ended' || !event.call) return;
    const { status, tool, changed = [] } = event.data;
    if (this.loaded && changed.some((path) => this.#of(path))) void this.check(changed);
    const call = this.store.state.calls[event.call];
    if (status !== 'done' || call?.owner !== EDITOR_PANEL || call.caller === 'person') return;
    void this.#follow(tool, (call.args ?? {}) as Record<string, unknown>);
  }

  async #follow(tool: string, args: Record<string, unknown>): Promise<void> {
    const path = String(args.path ?? args.filePath ?? this.active);
    const line = Number(args.line) || 0;
    if (tool === 'editor_open_file' || tool === 'editor_reveal_line') await this.open(path, line, false);
    if (tool === 'editor_show_diff') {
      await this.open(path, 0, false);
      this.compare(this.active, typeof args.proposed === 'string' ? args.proposed : null);
    }
    if (tool === 'editor_find_in_files')
      this.search(String(args.query ?? ''), {
        regex: args.regex === true,
        case: args.case === true,
        glob: String(args.glob ?? ''),
      });
  }

  /** Saves the tabs after a delay. */
  saveSoon(): void {
    if (!this.loaded) return;
    clearTimeout(this.#saveTimer);
    this.#saveTimer = setTimeout(() => void this.saveNow(), STATE_MS);
  }

  async saveNow(): Promise<void> {
    clearTimeout(this.#saveTimer);
    const tabs = this.files.map(({ path, file, line, column, top, unsaved }) => ({
      path,
      shown: file.shown || path,
      line,
      column,
      top,
      unsaved,
    }));
    const state = { tabs, active: this.active, selection: this.selection.slice(0, 2000) };
    const text = JSON.stringify(state);
    if (!this.loaded || text === this.#saved) return;
    this.#saved = text;
    await this.api.saveEditor(state).catch(() => (this.#saved = ''));
  }

  #of(path: string): OpenFile | undefined {
    return this.files.find((file) => file.path === path);
  }

  /** Returns the label of a file's tab. */
  label(open: OpenFile): string {
    return open.unsaved ? t('editor.tab.unsaved', { name: open.name }) : open.name;
  }
}
