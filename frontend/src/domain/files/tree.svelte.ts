import type { FilesApi } from '../../shared/api/files';
import type { Folder, FolderRow, Json, StoredEvent, TrashItem } from '../../shared/api/types';
import { t } from '../../shared/i18n';
import { failureText, type Actions } from '../actions';
import { plainError } from '../conversation/card';
import type { Toasts } from '../toasts.svelte';

export const FILES_PANEL = 'files';

/** A row of the tree. Entries of the workspace folder itself have level 1. */
interface TreeRow extends FolderRow {
  level: number;
  open: boolean;
  /** The position among the siblings, from 1, and their number. Both ignore the filter. */
  at: number;
  of: number;
}

const parent = (path: string) => path.slice(0, path.lastIndexOf('/')) || '/';

/** The tree of the workspace's files. Folders are read when they are opened and when they change. */
export class FileTree {
  root = $state('');
  folders = $state.raw(new Map<string, Folder>());
  opened = $state.raw(new Set<string>());
  selected = $state('');
  filter = $state('');
  hidden = $state(false);
  loading = $state(false);
  failed = $state('');
  trash = $state.raw<TrashItem[]>([]);
  /** Counts the changes of the selected file on disk. */
  selectedRevision = $state(0);

  constructor(
    private readonly actions: Actions,
    private readonly toasts: Toasts,
  ) {}

  private get api(): FilesApi {
    return this.actions.backend.files;
  }

  /** The visible rows. */
  readonly rows: TreeRow[] = $derived.by(() => this.#rows(this.root, 1));

  #rows(path: string, level: number): TreeRow[] {
    const folder = this.folders.get(path);
    if (!folder) return [];
    const words = this.filter.trim().toLowerCase();
    const shown = folder.rows.filter((row) => this.hidden || (!row.hidden && !row.ignored));
    const out: TreeRow[] = [];
    shown.forEach((row, i) => {
      const open = row.kind === 'folder' && this.opened.has(row.path);
      const below = open ? this.#rows(row.path, level + 1) : [];
      if (words && below.length === 0 && !row.name.toLowerCase().includes(words)) return;
      out.push({ ...row, level, open, at: i + 1, of: shown.length }, ...below);
    });
    return out;
  }

  get current(): TreeRow | undefined {
    return this.rows.find((row) => row.path === this.selected);
  }

  /** The folder for a new file, relative to the workspace, with a trailing slash; "" for the workspace itself. */
  get newFileFolder(): string {
    const row = this.current;
    if (!row) return '';
    const path = row.kind === 'folder' ? row.path : parent(row.path);
    return path === this.root ? '' : `${path.slice(this.root.length + 1)}/`;
  }

  /** Makes a path relative to the workspace, if it is inside. */
  relativePath(path: string): string {
    return path.startsWith(`${this.root}/`) ? path.slice(this.root.length + 1) : path;
  }

  /** Reads the workspace and its open folders. */
  async load(): Promise<void> {
    this.loading = this.folders.size === 0;
    try {
      const root = await this.api.folder('');
      if (this.root !== root.path) {
        this.opened = new Set();
        this.selected = '';
      }
      this.root = root.path;
      this.#put(root);
      this.failed = '';
      await Promise.all([...this.opened].map((path) => this.read(path)));
    } catch (error) {
      this.failed = failureText(error);
    } finally {
      this.loading = false;
    }
  }

  #put(folder: Folder): void {
    this.folders = new Map(this.folders).set(folder.path, folder);
  }

  /** Reads one folder. When that fails, it is closed, unless it is the workspace. */
  async read(path: string): Promise<void> {
    try {
      this.#put(await this.api.folder(path));
    } catch (error) {
      if (path === this.root) this.failed = failureText(error);
      else this.close(path);
    }
  }

  async open(path: string): Promise<void> {
    this.opened = new Set(this.opened).add(path);
    await this.read(path);
  }

  close(path: string): void {
    const opened = new Set(this.opened);
    opened.delete(path);
    this.opened = opened;
  }

  toggle(row: TreeRow): void {
    this.selected = row.path;
    if (row.kind !== 'folder') return;
    if (row.open) this.close(row.path);
    else void this.open(row.path);
  }

  /** Selects the previous, next, first or last row. */
  step(by: -1 | 1 | 'first' | 'last'): void {
    const { rows } = this;
    const at = rows.findIndex((row) => row.path === this.selected);
    const next = by === 'first' ? 0 : by === 'last' ? rows.length - 1 : Math.min(rows.length - 1, Math.max(0, at + by));
    this.selected = rows[next]?.path ?? '';
  }

  /** Opens the selected folder. If it is open already, selects the next row. */
  expand(): void {
    const row = this.current;
    if (row?.kind !== 'folder') return;
    if (row.open) this.step(1);
    else void this.open(row.path);
  }

  /** Closes the selected folder if it is open. Otherwise selects the parent folder. */
  collapse(): void {
    const row = this.current;
    if (!row) return;
    if (row.open) this.close(row.path);
    else if (row.level > 1) this.selected = parent(row.path);
  }

  /** Reads the open folders that changed, and notices a change of the selected file. */
  async check(): Promise<void> {
    if (!this.root) return;
    const paths = [this.root, ...this.opened].slice(0, 299);
    const file = this.current?.kind === 'file' ? this.current : undefined;
    const stamps = await this.api.stamps(file ? [...paths, file.path] : paths).catch(() => null);
    if (!stamps) return;
    const changed = paths.filter(
      (path) => stamps[path] !== undefined && stamps[path] !== this.folders.get(path)?.stamp,
    );
    if (file) this.#noticeStamp(stamps[file.path] ?? '');
    await Promise.all(changed.map((path) => this.read(path)));
  }

  #stamp = { path: '', stamp: '' };

  #noticeStamp(stamp: string): void {
    const path = this.selected;
    if (this.#stamp.path === path && this.#stamp.stamp !== stamp) this.selectedRevision++;
    this.#stamp = { path, stamp };
  }

  onEvent(event: StoredEvent): void {
    if (!this.root || event.kind !== 'call.ended') return;
    const folders = new Set((event.data.changed ?? []).map(parent));
    for (const path of folders) if (path === this.root || this.opened.has(path)) void this.read(path);
  }

  /** Runs a tool of the panel. Returns the error as a sentence, "" on success. */
  async #do(tool: string, args: Json, then?: (value: unknown) => void): Promise<string> {
    try {
      const result = await this.actions.backend.execute(tool, args, FILES_PANEL);
      if (!result.success) return plainError(tool, result.error ?? '');
      then?.(result.result);
      return '';
    } catch (error) {
      return failureText(error);
    }
  }

  /** Creates a file or folder at a path relative to the workspace. Returns the error, "" on success. */
  async create(kind: 'file' | 'folder', path: string): Promise<string> {
    const failed = await this.#do(kind === 'file' ? 'files_new_file' : 'files_new_folder', { path });
    if (!failed) await this.#show(path);
    return failed;
  }

  async #show(path: string): Promise<void> {
    const full = path.startsWith('/') ? path.replace(/\/+$/, '') : `${this.root}/${path.replace(/\/+$/, '')}`;
    await this.read(this.root);
    for (let at = parent(full); at.startsWith(`${this.root}/`); at = parent(at)) await this.open(at);
    this.selected = full;
  }

  async move(from: string, to: string): Promise<string> {
    const failed = await this.#do('files_rename', { from, to });
    if (failed) return failed;
    await this.read(parent(from));
    await this.#show(to);
    const name = to.split('/').at(-1) ?? to;
    this.toasts.ok(t('files.moved', { name }), {
      label: t('action.undo'),
      run: () => void this.#undo('files_rename', { from: to, to: from }, from),
    });
    return '';
  }

  /** Moves an entry to the trash and selects the next one. */
  async moveToTrash(path: string): Promise<void> {
    const at = this.rows.findIndex((row) => row.path === path);
    const row = this.rows[at];
    if (!row) return;
    const next = this.rows.slice(at + 1).find((one) => one.level <= row.level) ?? this.rows[at - 1];
    let id = '';
    const failed = await this.#do('files_trash', { path }, (value) => (id = (value as TrashItem).id));
    if (failed) {
      this.toasts.error(failed);
      return;
    }
    this.selected = next?.path ?? '';
    await this.read(parent(path));
    this.toasts.ok(t('files.trashed', { name: row.name }), {
      label: t('action.undo'),
      run: () => void this.#undo('files_restore', { id }, path),
    });
  }

  async #undo(tool: string, args: Json, path: string): Promise<void> {
    const failed = await this.#do(tool, args);
    if (failed) this.toasts.error(failed);
    await this.load();
    if (!failed) await this.#show(path);
  }

  async readTrash(): Promise<void> {
    this.trash = await this.api.trash().catch(() => []);
  }

  async restore(item: TrashItem): Promise<string> {
    const failed = await this.#do('files_restore', { id: item.id });
    await this.readTrash();
    if (!failed) await this.#show(item.path);
    return failed;
  }
}
