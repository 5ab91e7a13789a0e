import type { FilesApi } from '../shared/api/files';
import type { EditorSession, FileText } from '../shared/api/types';

const README = '# Sextant\n\nA desktop assistant that drives a real browser.\n\n- tools\n- panels\n';

/** Returns a FilesApi over a small read-only folder. */
export function filesApi(): FilesApi {
  let session: EditorSession = { state: { tabs: [], active: '' }, drafts: [] };
  const file = (path: string): FileText => ({
    path: path.startsWith('/') ? path : `/home/ana/work/${path}`,
    shown: path,
    name: path.split('/').at(-1) ?? path,
    text: README,
    version: 'v1',
    stamp: '1',
    size: README.length,
  });
  const row = (name: string, kind: string) => ({ name, path: `/home/ana/work/${name}`, kind, size: README.length });
  return {
    text: async (path) => file(path),
    folder: async () => ({
      path: '/home/ana/work',
      shown: '.',
      stamp: '1',
      rows: [row('docs', 'folder'), row('README.md', 'file'), row('main.go', 'file')],
    }),
    openFolder: async () => undefined,
    stamps: async (paths) => Object.fromEntries(paths.map((path) => [path, '1'])),
    paths: async () => ['README.md', 'main.go'],
    picture: async () => new Blob(),
    trash: async () => [],
    notes: async () => [
      {
        name: 'Ideas',
        path: '/notes/Ideas.md',
        size: 12,
        modified: new Date().toISOString(),
        preview: 'a second window',
      },
    ],
    bookmarks: async () => [],
    editor: async () => session,
    saveEditor: async (state) => void (session = { ...session, state }),
    saveDraft: async () => {},
    deleteDraft: async () => {},
  };
}
