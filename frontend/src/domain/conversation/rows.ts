import type { CallView, Item } from '../store/state';

/** What the talk draws: single items, and calls of one step in one frame. */
export type Row = Exclude<Item, { kind: 'call' }> | { kind: 'calls'; id: string; ids: string[] };

/** Joins calls that follow each other into one row. */
export function rowsOf(items: readonly Item[]): Row[] {
  const rows: Row[] = [];
  for (const item of items) {
    if (item.kind !== 'call') {
      rows.push(item);
      continue;
    }
    const last = rows.at(-1);
    if (last?.kind === 'calls') last.ids.push(item.id);
    else rows.push({ kind: 'calls', id: item.id, ids: [item.id] });
  }
  return rows;
}

/** Finished, without anything to tell and shown by no page: only these may fold. */
export const folds = (call: CallView) => call.status === 'done' && !call.app;

/** More than so many finished calls fold to one line. */
const FOLD_OVER = 4;

/** Splits the calls of a step into those that fold and those that stay seen. */
export function foldCalls(calls: CallView[]): { folded: CallView[]; shown: CallView[] } {
  const finished = calls.filter(folds);
  if (finished.length <= FOLD_OVER) return { folded: [], shown: calls };
  return { folded: finished, shown: calls.filter((call) => !folds(call)) };
}
