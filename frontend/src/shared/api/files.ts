import { bodyOf, done, type Client } from './client';
import type { EditorDraft, EditorSession, EditorState, Folder } from './types';

export type FilesApi = ReturnType<typeof createFilesApi>;

/** Reads files, notes, bookmarks and the editor's session for the built-in panels. Changes to files are tool calls. */
export function createFilesApi(client: Client) {
  return {
    text: (path: string) => bodyOf(client.GET('/api/workspace/text', { params: { query: { path } } })),
    /** The entries of a folder; "" is the workspace. */
    folder: async (path: string): Promise<Folder> => {
      const folder = await bodyOf(client.GET('/api/workspace/folder', { params: { query: { path } } }));
      return { ...folder, rows: folder.rows ?? [] };
    },
    /** A stamp by path that changes with the file or the names in the folder; "" where nothing exists. */
    stamps: async (paths: string[]) => (await bodyOf(client.POST('/api/workspace/stamps', { body: { paths } }))).stamps,
    /** Files of the workspace by the letters of their paths, best match first. */
    paths: async (words: string) =>
      (await bodyOf(client.GET('/api/workspace/paths', { params: { query: { words } } }))).paths ?? [],
    picture: (path: string): Promise<Blob> =>
      bodyOf(client.GET('/api/workspace/picture', { params: { query: { path } }, parseAs: 'blob' })),
    trash: async () => (await bodyOf(client.GET('/api/workspace/trash'))).items ?? [],
    /** Notes that contain all the words, newest first. */
    notes: async (words: string) =>
      (await bodyOf(client.GET('/api/workspace/notes', { params: { query: { words } } }))).notes ?? [],
    /** Bookmarks, newest first. */
    bookmarks: async () => (await bodyOf(client.GET('/api/workspace/bookmarks'))).bookmarks ?? [],
    editor: async (): Promise<EditorSession> => {
      const { state, drafts } = await bodyOf(client.GET('/api/workspace/editor'));
      return { state: { ...state, tabs: state.tabs ?? [] }, drafts: drafts ?? [] };
    },
    saveEditor: (state: EditorState) => done(client.PUT('/api/workspace/editor', { body: state })),
    saveDraft: (draft: EditorDraft) => done(client.PUT('/api/workspace/editor/draft', { body: draft })),
    deleteDraft: (path: string) => done(client.DELETE('/api/workspace/editor/draft', { params: { query: { path } } })),
  };
}
