import type { CallView, Item } from '../store/state';

/** A row of the conversation: an item, or consecutive calls. */
export type Row = Exclude<Item, { kind: 'call' }> | { kind: 'calls'; id: string; ids: string[] };

/** Joins consecutive calls into one row. All other items keep a row each. */
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

/** Reports whether a card may be folded: the call succeeded and no app shows it. */
const canFold = (call: CallView) => call.status === 'done' && !call.app;

/** When more calls than this may be folded, they fold into one line. */
const FOLD_ABOVE = 4;

/** Splits the calls of a row into those that fold into one line and those that stay visible. */
export function foldCalls(calls: CallView[]): { folded: CallView[]; shown: CallView[] } {
  const finished = calls.filter(canFold);
  if (finished.length <= FOLD_ABOVE) return { folded: [], shown: calls };
  return { folded: finished, shown: calls.filter((call) => !canFold(call)) };
}
