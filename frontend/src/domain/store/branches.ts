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
  const changed = [...chain(transcript, transcript.branch), ...chain(transcript, id)];
  const shared = chain(transcript, id).filter((one) => chain(transcript, transcript.branch).includes(one));
  if (changed.some((one) => !shared.includes(one) && one.cut < transcript.from)) transcript.outdated = true;
  transcript.branch = id;
  branch.used = Math.max(branch.used, seq);
}

/** Returns a branch and its ancestors, the first branch first. */
export function chain(transcript: TranscriptView, id: string): BranchView[] {
  const list: BranchView[] = [];
  for (let at = branchById(transcript, id); at; at = at.id ? branchById(transcript, at.parent) : undefined)
    list.unshift(at);
  return list;
}

function begin(transcript: TranscriptView, { data, seq }: EventOf<'branch.started'>): void {
  const { id, after = '', instead = '' } = data;
  if (!branchById(transcript, id)) {
    const start = startOf(transcript, after, instead);
    if (!start) transcript.outdated = true;
    else transcript.branches.push({ id, ...start, used: 0 });
  }
  activate(transcript, id, seq);
}

/** Returns the parent of a new branch and the place where it forks; null if the message there is not loaded. */
function startOf(transcript: TranscriptView, after: string, instead: string): { parent: string; cut: number } | null {
  const item = transcript.items.find((one) => one.kind === 'user' && one.id === (instead || after));
  if (!item) return transcript.from > 0 ? null : { parent: '', cut: 0 };
  let parent = branchOf(transcript, item);
  let cut = instead ? item.place : item.place + 1;
  // A branch that starts at the same item as its parent is the parent's sibling, not its child.
  while (parent && !transcript.items.some((one) => branchOf(transcript, one) === parent && one.place < cut)) {
    ({ parent, cut } = branchById(transcript, parent)!);
  }
  return { parent, cut };
}
