import type { CallView, Item, TranscriptView, BranchView } from '../store/state';
import { branchOf, chain, turnOf } from '../store/branches';

/** A point where the conversation has several continuations, seen from the active branch. */
export interface Fork {
  /** Identifies the fork, whichever continuation is active. */
  key: string;
  /** The most recently used branch of each continuation, the oldest continuation first. */
  alternatives: string[];
  /** The index of the active continuation in `alternatives`. */
  at: number;
  /** Whether the other continuations changed files ("files") or did something else that remains ("done"). */
  effects: '' | 'files' | 'done';
  /** The first item of the active continuation. */
  first: Item;
}

/** Returns the items of the active branch. */
export function shownItems(transcript: TranscriptView): Item[] {
  if (transcript.branches.length < 2) return transcript.items;
  const line = chain(transcript, transcript.branch);
  const ends = new Map(line.map((branch, i) => [branch.id, line[i + 1]?.cut ?? Infinity]));
  return transcript.items.filter((item) => item.place < (ends.get(branchOf(transcript, item)) ?? 0));
}

/** Returns the sources of outside text in the active branch. */
export function shownSources(transcript: TranscriptView): string[] {
  const turns =
    transcript.branches.length < 2 ? Object.keys(transcript.sources) : new Set(shownItems(transcript).map(turnOf));
  return [...new Set([...transcript.earlierSources, ...[...turns].flatMap((turn) => transcript.sources[turn] ?? [])])];
}

/** Returns every fork along the active branch, in order. */
export function forksOf(transcript: TranscriptView, calls: Record<string, CallView>): Fork[] {
  if (transcript.branches.length < 2) return [];
  const shown = shownItems(transcript);
  const line = chain(transcript, transcript.branch);
  return line.flatMap((parent, i) => {
    const next = line[i + 1];
    const children = transcript.branches.filter((one) => one.id && one.parent === parent.id);
    const cuts = [...new Set(children.map((one) => one.cut))].filter((cut) => cut <= (next?.cut ?? Infinity));
    return cuts
      .sort((a, b) => a - b)
      .flatMap((cut) => {
        const first = shown.find(({ place }) => place >= cut);
        if (!first) return [];
        const heads = [parent, ...children.filter((one) => one.cut === cut)];
        const at = next && next.cut === cut ? heads.indexOf(next) : 0;
        const alternatives = heads.map((head) => descendants(transcript, head, cut));
        const others = new Set(
          alternatives.filter((_, n) => n !== at).flatMap((branches) => branches.map((one) => one.id)),
        );
        const otherItems = transcript.items.filter(
          (item) => item.place >= cut && others.has(branchOf(transcript, item)),
        );
        return [
          {
            key: `${parent.id}:${cut}`,
            alternatives: alternatives.map((branches) => branches.reduce((a, b) => (b.used > a.used ? b : a)).id),
            at,
            effects: effectsOf(otherItems, calls),
            first,
          },
        ];
      });
  });
}

/** Returns the branches of one continuation: `head`, and all that descend from it after item `cut`. */
function descendants(transcript: TranscriptView, head: BranchView, cut: number): BranchView[] {
  const parts = transcript.branches.filter((one) => one.id && one.parent === head.id && one.cut > cut);
  return [head, ...parts.flatMap((one) => descendants(transcript, one, -1))];
}

/** Returns "files" when these items changed files, "done" when they did anything else but read, otherwise "". */
function effectsOf(items: Item[], calls: Record<string, CallView>): Fork['effects'] {
  const ownCalls = items.flatMap((item) => (item.kind === 'call' ? (calls[item.id] ?? []) : []));
  if (ownCalls.some((call) => call.changed.length)) return 'files';
  return ownCalls.some((call) => !call.readOnly && ran(call)) ? 'done' : '';
}

const ran = (call: CallView) =>
  ['done', 'stopped', 'interrupted'].includes(call.status) ||
  (call.status === 'failed' && !['validation_error', 'permission_error', 'security_error'].includes(call.errorType));

/** Returns the message that an ended turn answers: the person's last message before the turn's end. */
export function questionOf(items: Item[], turn: string): Extract<Item, { kind: 'user' }> | undefined {
  const end = items.findIndex((item) => item.kind === 'turnEnd' && item.id === turn);
  const found = items.slice(0, end + 1).findLast((item) => item.kind === 'user');
  return found?.kind === 'user' ? found : undefined;
}
