import type { components } from './schema.gen';

type S = components['schemas'];

export type FileText = S['FileText'];
export type FolderRow = S['FolderRow'];
export type Folder = Omit<S['Folder'], 'rows'> & { rows: FolderRow[] };
export type TrashItem = S['TrashItem'];
export type EditorTab = S['EditorTab'];
export type EditorState = Omit<S['EditorState'], 'tabs'> & { tabs: EditorTab[] };
export type EditorDraft = S['EditorDraft'];
export type Note = S['Note'];
export type Bookmark = S['Bookmark'];
export interface EditorKept {
  state: EditorState;
  drafts: EditorDraft[];
}

/** What the pages of the built-in panels look at on the disk. What they do there are calls of tools. */
export interface Desk {
  text(path: string): Promise<FileText>;
  /** What lies in a folder, "" for the workspace. */
  folder(path: string): Promise<Folder>;
  /** A stamp by path that changes when the file, or the names in the folder, do; "" is not there. */
  stamps(paths: string[]): Promise<Record<string, string>>;
  /** Files of the workspace by the letters of their paths, the nearest first. */
  paths(words: string): Promise<string[]>;
  picture(path: string): Promise<Blob>;
  trash(): Promise<TrashItem[]>;
  /** Notes that hold all the words, the newest first. */
  notes(words: string): Promise<Note[]>;
  /** Pages that were kept, the newest first. */
  bookmarks(): Promise<Bookmark[]>;
  editor(): Promise<EditorKept>;
  keepEditor(state: EditorState): Promise<void>;
  keepDraft(draft: EditorDraft): Promise<void>;
  dropDraft(path: string): Promise<void>;
}

/** Sends a request; a failure is a BackendError. */
export type Ask = (method: string, path: string, body?: unknown) => Promise<Response>;

/** The desk of the program on this machine. */
export function loopbackDesk(ask: Ask): Desk {
  const json = async <T>(method: string, path: string, body?: unknown) =>
    (await (await ask(method, `/api/desk/${path}`, body)).json()) as T;
  const at = (path: string) => `path=${encodeURIComponent(path)}`;
  return {
    text: (path) => json<FileText>('GET', `text?${at(path)}`),
    folder: async (path) => {
      const folder = await json<S['Folder']>('GET', `folder?${at(path)}`);
      return { ...folder, rows: folder.rows ?? [] };
    },
    stamps: async (paths) => (await json<S['PathStamps']>('POST', 'stamps', { paths })).stamps,
    paths: async (words) =>
      (await json<S['FoundPaths']>('GET', `paths?words=${encodeURIComponent(words)}`)).paths ?? [],
    picture: async (path) => (await ask('GET', `/api/desk/picture?${at(path)}`)).blob(),
    trash: async () => (await json<S['TrashList']>('GET', 'trash')).items ?? [],
    notes: async (words) => (await json<S['NoteList']>('GET', `notes?words=${encodeURIComponent(words)}`)).notes ?? [],
    bookmarks: async () => (await json<S['BookmarkList']>('GET', 'bookmarks')).bookmarks ?? [],
    editor: async () => {
      const { state, drafts } = await json<S['EditorKept']>('GET', 'editor');
      return { state: { ...state, tabs: state.tabs ?? [] }, drafts: drafts ?? [] };
    },
    keepEditor: async (state) => void (await ask('PUT', '/api/desk/editor', state)),
    keepDraft: async (draft) => void (await ask('PUT', '/api/desk/editor/draft', draft)),
    dropDraft: async (path) => void (await ask('DELETE', `/api/desk/editor/draft?${at(path)}`)),
  };
}
