import type { Branch, StoredEvent } from '../../shared/api/types';
import type { BranchView, Item, Thread } from './state';

/** The turn an item came with. */
const turnOf = (item: Item) => (item.kind === 'end' ? item.turn.id : item.turn);

/** The branch an item stands in. */
export const branchOf = (thread: Thread, item: Item) => thread.turns[turnOf(item)] ?? '';

/** A branch by its id; the way the conversation went at first is "". */
export const branchNamed = (thread: Thread, id: string): BranchView | undefined =>
  thread.branches.find((branch) => branch.id === id);

/** Begins a branch or makes one active; everything else is placed by the turn it came with. */
export function reduceBranches(thread: Thread, event: StoredEvent): void {
  if (event.kind === 'branch.started') {
    begin(thread, event);
  } else if (event.kind === 'branch.chosen') {
    use(thread, (event.data as { id: string }).id, event.seq);
  } else if (event.turn) {
    thread.turns[event.turn] ??= thread.branch;
  }
}

function use(thread: Thread, id: string, seq: number): void {
  const branch = branchNamed(thread, id);
  if (!branch) return;
  thread.branch = id;
  branch.used = seq;
}

function begin(thread: Thread, event: StoredEvent): void {
  const { id, after = '', instead = '' } = event.data as Branch;
  if (!branchNamed(thread, id)) thread.branches.push({ id, ...place(thread, after, instead), used: 0 });
  use(thread, id, event.seq);
}

/** Where a branch parts: from which one, and how many of all items came before. */
function place(thread: Thread, after: string, instead: string): { parent: string; cut: number } {
  const at = thread.items.findIndex((item) => item.kind === 'me' && item.id === (instead || after));
  let parent = at < 0 ? '' : branchOf(thread, thread.items[at]!);
  let cut = instead ? Math.max(0, at) : at + 1;
  // What parts where its parent begins stands beside it, not in it.
  while (parent && !thread.items.slice(0, cut).some((item) => branchOf(thread, item) === parent)) {
    const above = branchNamed(thread, parent)!;
    ({ parent, cut } = above);
  }
  return { parent, cut };
}
