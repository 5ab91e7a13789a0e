import type { CallView, Item, Thread, BranchView } from '../store/state';
import { branchNamed, branchOf } from '../store/branches';

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
function chain(thread: Thread): BranchView[] {
  const list: BranchView[] = [];
  for (let at = branchNamed(thread, thread.branch); at; at = at.id ? branchNamed(thread, at.parent) : undefined)
    list.unshift(at);
  return list;
}

/** The items of the branch that is shown, with their places among all. */
function path(thread: Thread): { item: Item; place: number }[] {
  const line = chain(thread);
  const ends = new Map(line.map((branch, i) => [branch.id, line[i + 1]?.cut ?? Infinity]));
  return thread.items
    .map((item, place) => ({ item, place }))
    .filter(({ item, place }) => place < (ends.get(branchOf(thread, item)) ?? 0));
}

/** What is shown of a conversation: the items of its active branch. */
export function shownItems(thread: Thread): Item[] {
  return thread.branches.length < 2 ? thread.items : path(thread).map(({ item }) => item);
}

/** Sources of outside text in what is shown. */
export function shownSources(thread: Thread): string[] {
  if (thread.branches.length < 2) return thread.outside;
  const turns = new Set(shownItems(thread).map((item) => (item.kind === 'end' ? item.turn.id : item.turn)));
  return [...new Set([...turns].flatMap((turn) => thread.sources[turn] ?? []))];
}

/** Every place of the branch that is shown where the conversation parts, in order. */
export function forksOf(thread: Thread, calls: Record<string, CallView>): Fork[] {
  if (thread.branches.length < 2) return [];
  const shown = path(thread);
  const line = chain(thread);
  return line.flatMap((parent, i) => {
    const next = line[i + 1];
    const children = thread.branches.filter((one) => one.id && one.parent === parent.id);
    const cuts = [...new Set(children.map((one) => one.cut))].filter((cut) => cut <= (next?.cut ?? Infinity));
    return cuts
      .sort((a, b) => a - b)
      .flatMap((cut) => {
        const first = shown.find(({ place }) => place >= cut)?.item;
        if (!first) return [];
        const heads = [parent, ...children.filter((one) => one.cut === cut)];
        const at = next && next.cut === cut ? heads.indexOf(next) : 0;
        const ways = heads.map((head) => within(thread, head, cut));
        const others = new Set(ways.filter((_, n) => n !== at).flatMap((way) => way.map((one) => one.id)));
        const left = thread.items.filter((item, place) => place >= cut && others.has(branchOf(thread, item)));
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
function within(thread: Thread, head: BranchView, cut: number): BranchView[] {
  const parts = thread.branches.filter((one) => one.id && one.parent === head.id && one.cut > cut);
  return [head, ...parts.flatMap((one) => within(thread, one, -1))];
}

/** Whether these calls changed files, or may have done anything but look. */
function done(items: Item[], calls: Record<string, CallView>): Fork['elsewhere'] {
  const made = items.flatMap((item) => (item.kind === 'call' ? (calls[item.id] ?? []) : []));
  if (made.some((call) => call.changed.length)) return 'files';
  return made.some((call) => !call.looks && ran(call)) ? 'done' : '';
}

const ran = (call: CallView) =>
  ['done', 'stopped', 'interrupted'].includes(call.status) ||
  (call.status === 'failed' && !['validation_error', 'permission_error', 'security_error'].includes(call.errorType));

/** The question that a turn answers: the last thing a person said before its end. */
export function questionOf(items: Item[], turn: string): Extract<Item, { kind: 'me' }> | undefined {
  const end = items.findIndex((item) => item.kind === 'end' && item.id === turn);
  const found = items.slice(0, end + 1).findLast((item) => item.kind === 'me');
  return found?.kind === 'me' ? found : undefined;
}
