import type { StoredFile } from '../../shared/api/types';
import { t } from '../../shared/i18n';

/** A file that the person dropped or pasted. */
export interface DroppedFile {
  name: string;
  content: Blob;
}

/** The most names in the list of a folder, and how deep it goes. */
const NAMES_MAX = 1000;
const DEPTH_MAX = 3;

export const hasFiles = (data: DataTransfer | null): boolean => Boolean(data?.types.includes('Files'));

/**
 * Whether files of another program are dragged. The real window's engine hides them from the page: it tells only that
 * there is a list of addresses, and the program attaches them (see `FilesTaken`). A dragged link has text too.
 */
export const dragsFiles = (data: DataTransfer | null): boolean =>
  hasFiles(data) || Boolean(data?.types.includes('text/uri-list') && !data.types.includes('text/plain'));

/** Whether a text is the paths or addresses of these files, one a line, as file managers copy them. */
export const isPathsOf = (text: string, names: string[]): boolean => {
  const lines = text.trim().split(/\r?\n/);
  const last = (line: string) => line.slice(line.lastIndexOf('/') + 1);
  return lines.length === names.length && lines.every((line, i) => line.includes('/') && last(line) === names[i]);
};

/**
 * The event `filestaken` of the real window: files that the person dropped or pasted and that the program stored, or the
 * reason why one cannot be attached. `upload` is the id with which a dropped file can be given to the page.
 */
export type FilesTaken = CustomEvent<{
  pasted: boolean;
  files: { file: StoredFile; reason?: string; upload?: string }[];
}>;

/** Returns the dropped or pasted files. A folder becomes a text file with the names in it. Call it in the event. */
export async function droppedFiles(data: DataTransfer): Promise<DroppedFile[]> {
  // The items are empty after the event, so all are taken before anything is awaited.
  const taken = [...data.items]
    .filter((item) => item.kind === 'file')
    .map((item) => ({ entry: item.webkitGetAsEntry?.() ?? null, file: item.getAsFile() }));
  const found: DroppedFile[] = [];
  for (const { entry, file } of taken) {
    if (entry?.isDirectory) found.push(await listOf(entry as FileSystemDirectoryEntry));
    else if (file) found.push({ name: file.name || 'pasted', content: file });
  }
  return found;
}

async function listOf(folder: FileSystemDirectoryEntry): Promise<DroppedFile> {
  const names: string[] = [];
  await collect(folder, '', 1, names);
  const lines = [`Folder ${folder.name}`, ...names.slice(0, NAMES_MAX)];
  if (names.length > NAMES_MAX) lines.push(`… only the first ${NAMES_MAX} names`);
  return { name: t('attachment.folder', { name: folder.name }), content: new Blob([lines.join('\n') + '\n']) };
}

async function collect(folder: FileSystemDirectoryEntry, prefix: string, depth: number, names: string[]) {
  const reader = folder.createReader();
  for (;;) {
    // A reader returns the entries in parts and ends with an empty one.
    const part = await new Promise<FileSystemEntry[]>((resolve) => reader.readEntries(resolve, () => resolve([])));
    if (!part.length) return;
    for (const entry of part) {
      if (names.length > NAMES_MAX) return;
      names.push(prefix + entry.name + (entry.isDirectory ? '/' : ''));
      if (entry.isDirectory && depth < DEPTH_MAX) {
        await collect(entry as FileSystemDirectoryEntry, `${prefix}${entry.name}/`, depth + 1, names);
      }
    }
  }
}
