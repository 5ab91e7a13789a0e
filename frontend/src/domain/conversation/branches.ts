import type { CallView, Item, TranscriptView, BranchView } from '../store/state';
import { branchById, branchOf } from '../store/branches';

/** A place where the conversation parts, as it is seen from the branch that is shown. */
export interface Fork {
  /** The same whichever of its ways is shown. */
  key: string;
  /** For each way the branch in it that was used last, in the order the ways began. */
  ways: string[];
  /** Which of them is shown. */
  at: number;
  /** What is told about the others: that they changed files, or did anything else. */
  elsewhere: '' | 'files' | 'done';
  /** The first item of the way that is shown. */
  first: Item;
}

/** From the first branch to the one that is shown. */
function chain(transcript: TranscriptView): BranchView[] {
  const list: BranchView[] = [];
  for (
    let at = branchById(transcript, transcript.branch);
    at;
    at = at.id ? branchById(transcript, at.parent) : undefined
  )
    list.unshift(at);
  return list;
}

/** The items of the branch that is shown, with their places among all. */
function path(transcript: TranscriptView): { item: Item; place: number }[] {
  const line = chain(transcript);
  const ends = new Map(line.map((branch, i) => [branch.id, line[i + 1]?.cut ?? Infinity]));
  return transcript.items
    .map((item, place) => ({ item, place }))
    .filter(({ item, place }) => place < (ends.get(branchOf(transcript, item)) ?? 0));
}

/** What is shown of a conversation: the items of its active branch. */
export function shownItems(transcript: TranscriptView): Item[] {
  return transcript.branches.length < 2 ? transcript.items : path(transcript).map(({ item }) => item);
}

/** Sources of outside text in what is shown. */
export function shownSources(transcript: TranscriptView): string[] {
  if (transcript.branches.length < 2) return transcript.outside;
  const turns = new Set(shownItems(transcript).map((item) => (item.kind === 'turnEnd' ? item.turn.id : item.turn)));
  return [...new Set([...turns].flatMap((turn) => transcript.sources[turn] ?? []))];
}

/** Every place of the branch that is shown where the conversation parts, in order. */
export function forksOf(transcript: TranscriptView, calls: Record<string, CallView>): Fork[] {
  if (transcript.branches.length < 2) return [];
  const shown = path(transcript);
  const line = chain(transcript);
  return line.flatMap((parent, i) => {
    const next = line[i + 1];
    const children = transcript.branches.filter((one) => one.id && one.parent === parent.id);
    const cuts = [...new Set(children.map((one) => one.cut))].filter((cut) => cut <= (next?.cut ?? Infinity));
    return cuts
      .sort((a, b) => a - b)
      .flatMap((cut) => {
        const first = shown.find(({ place }) => place >= cut)?.item;
        if (!first) return [];
        const heads = [parent, ...children.filter((one) => one.cut === cut)];
        const at = next && next.cut === cut ? heads.indexOf(next) : 0;
        const ways = heads.map((head) => within(transcript, head, cut));
        const others = new Set(ways.filter((_, n) => n !== at).flatMap((way) => way.map((one) => one.id)));
        const left = transcript.items.filter((item, place) => place >= cut && others.has(branchOf(transcript, item)));
        return [
          {
            key: `${parent.id}:${cut}`,
            ways: ways.map((way) => way.reduce((a, b) => (b.used > a.used ? b : a)).id),
            at,
            elsewhere: done(left, calls),
            first,
          },
        ];
      });
  });
}

/** The branches of one way: head, and what parts from it behind cut. */
function within(transcript: TranscriptView, head: BranchView, cut: number): BranchView[] {
  const parts = transcript.branches.filter((one) => one.id && one.parent === head.id && one.cut > cut);
  return [head, ...parts.flatMap((one) => within(transcript, one, -1))];
}

/** Whether these calls changed files, or may have done anything but look. */
function done(items: Item[], calls: Record<string, CallView>): Fork['elsewhere'] {
  const made = items.flatMap((item) => (item.kind === 'call' ? (calls[item.id] ?? []) : []));
  if (made.some((call) => call.changed.length)) return 'files';
  return made.some((call) => !call.readOnly && ran(call)) ? 'done' : '';
}

const ran = (call: CallView) =>
  ['done', 'stopped', 'interrupted'].includes(call.status) ||
  (call.status === 'failed' && !['validation_error', 'permission_error', 'security_error'].includes(call.errorType));

/** The question that a turn answers: the last thing a person said before its end. */
export function questionOf(items: Item[], turn: string): Extract<Item, { kind: 'user' }> | undefined {
  const end = items.findIndex((item) => item.kind === 'turnEnd' && item.id === turn);
  const found = items.slice(0, end + 1).findLast((item) => item.kind === 'user');
  return found?.kind === 'user' ? found : undefined;
}
