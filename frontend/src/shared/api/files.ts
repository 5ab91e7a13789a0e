import { bodyOf, awaitSuccess, type Client } from './client';
import type { EditorDraft, EditorSession, EditorState, Folder } from './types';

export type FilesApi = ReturnType<typeof createFilesApi>;

/** Creates the requests for files, notes, bookmarks and the editor's session. Changes of files are tool calls. */
export function createFilesApi(client: Client) {
  return {
    text: (path: string) => bodyOf(client.GET('/api/workspace/text', { params: { query: { path } } })),
    /** Returns the entries of a folder. "" is the workspace. */
    folder: async (path: string): Promise<Folder> => {
      const folder = await bodyOf(client.GET('/api/workspace/folder', { params: { query: { path } } }));
      return { ...folder, rows: folder.rows ?? [] };
    },
    /** Makes another folder the workspace. */
    openFolder: (path: string) => awaitSuccess(client.POST('/api/workspace/folder', { body: { path } })),
    /**
     * Returns a stamp for each absolute path, "" if it is missing or closed to tools. The stamp changes with the file,
     * or with the names in the folder.
     */
    stamps: async (paths: string[]) => (await bodyOf(client.POST('/api/workspace/stamps', { body: { paths } }))).stamps,
    /** Returns at most 50 workspace files whose paths contain the letters of `words` in order, the best match first. */
    paths: async (words: string) =>
      (await bodyOf(client.GET('/api/workspace/paths', { params: { query: { words } } }))).paths ?? [],
    picture: (path: string): Promise<Blob> =>
      bodyOf(client.GET('/api/workspace/picture', { params: { query: { path } }, parseAs: 'blob' })),
    trash: async () => (await bodyOf(client.GET('/api/workspace/trash'))).items ?? [],
    /** Returns the notes that contain all of the words, newest first. */
    notes: async (words: string) =>
      (await bodyOf(client.GET('/api/workspace/notes', { params: { query: { words } } }))).notes ?? [],
    /** Returns the bookmarks, newest first. */
    bookmarks: async () => (await bodyOf(client.GET('/api/workspace/bookmarks'))).bookmarks ?? [],
    editor: async (): Promise<EditorSession> => {
      const { state, drafts } = await bodyOf(client.GET('/api/workspace/editor'));
      return { state: { ...state, tabs: state.tabs ?? [] }, drafts: drafts ?? [] };
    },
    saveEditor: (state: EditorState) => awaitSuccess(client.PUT('/api/workspace/editor', { body: state })),
    saveDraft: (draft: EditorDraft) => awaitSuccess(client.PUT('/api/workspace/editor/draft', { body: draft })),
    deleteDraft: (path: string) =>
      awaitSuccess(client.DELETE('/api/workspace/editor/draft', { params: { query: { path } } })),
  };
}
