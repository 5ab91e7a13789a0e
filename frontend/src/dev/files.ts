import type { ChangedFile } from '../shared/api/types';

/** Returns the file changes of the turn in the scenario "files", before or after Undo. */
export function changes(undone: boolean): ChangedFile[] {
  return [
    {
      path: '/home/ana/notes/house.md',
      shown: 'notes/house.md',
      did: 'changed',
      state: undone ? 'undone' : 'ready',
      added: 1,
      removed: 1,
      diff: '--- notes/house.md\n+++ notes/house.md\n@@ -40,3 +40,3 @@\n # Lamps\n-hall, E27, 8 W\n+hall, E14, 8 W\n kitchen, E14, 4 W, three spare\n',
    },
    {
      path: '/home/ana/notes/lamps.md',
      shown: 'notes/lamps.md',
      did: 'made',
      state: undone ? 'undone' : 'conflict',
      why: undone ? undefined : 'it was changed since',
      by: 'command',
      added: 2,
      removed: 0,
      diff: '--- notes/lamps.md\n+++ notes/lamps.md\n@@ -0,0 +1,2 @@\n+Fen, Moor and Bog use E14.\n+Heath and Tarn use E27.\n',
    },
  ];
}
