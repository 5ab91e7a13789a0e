import type { EventOf, StoredEvent } from '../../shared/api/types';
import type { BranchView, Item, TranscriptView } from './state';

/** Returns the id of the turn that an item belongs to. */
export const turnOf = (item: Item) => (item.kind === 'turnEnd' ? item.turn.id : item.turn);

/** Returns the id of the branch that an item belongs to. */
export const branchOf = (transcript: TranscriptView, item: Item) => transcript.turns[turnOf(item)] ?? '';

/** Returns a branch by its id. The id of the first branch is "". */
export const branchById = (transcript: TranscriptView, id: string): BranchView | undefined =>
  transcript.branches.find((branch) => branch.id === id);

/** Starts or activates a branch. Any other event assigns its turn, if it has no branch, to the active one. */
export function reduceBranches(transcript: TranscriptView, event: StoredEvent): void {
  if (event.kind === 'branch.started') {
    begin(transcript, event);
  } else if (event.kind === 'branch.chosen') {
    activate(transcript, event.data.id, event.seq);
  } else if (event.turn) {
    transcript.turns[event.turn] ??= transcript.branch;
  }
}

function activate(transcript: TranscriptView, id: string, seq: number): void {
  const branch = branchById(transcript, id);
  if (!branch) return;
  transcript.branch = id;
  branch.used = seq;
}

function begin(transcript: TranscriptView, { data, seq }: EventOf<'branch.started'>): void {
  const { id, after = '', instead = '' } = data;
  if (!branchById(transcript, id)) {
    transcript.branches.push({ id, ...startOf(transcript, after, instead), used: 0 });
  }
  activate(transcript, id, seq);
}

/** Returns the parent of a new branch, and how many of all items came before its start. */
function startOf(transcript: TranscriptView, after: string, instead: string): { parent: string; cut: number } {
  const at = transcript.items.findIndex((item) => item.kind === 'user' && item.id === (instead || after));
  let parent = at < 0 ? '' : branchOf(transcript, transcript.items[at]!);
  let cut = instead ? Math.max(0, at) : at + 1;
  // A branch that starts at the same item as its parent is the parent's sibling, not its child.
  while (parent && !transcript.items.slice(0, cut).some((item) => branchOf(transcript, item) === parent)) {
    ({ parent, cut } = branchById(transcript, parent)!);
  }
  return { parent, cut };
}
