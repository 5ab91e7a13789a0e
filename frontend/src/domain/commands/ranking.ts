/** What the palette finds an entry by. */
export interface Findable {
  group: string;
  title: string;
  /** A description. */
  sub?: string;
  /** Further words that find it. */
  words?: string;
  /** Whether the title is a sentence, which counts as a description. */
  isSentence?: boolean;
}

/** Words that need not occur, unless there are no others. */
const SMALL_WORDS = new Set(['a', 'an', 'the', 'my', 'this', 'as', 'to', 'in', 'on', 'of', 'for', 'with']);

/** Returns the words that an entry must contain, in lower case. */
function wordsOf(query: string): string[] {
  const all = query.toLowerCase().split(/\s+/).filter(Boolean);
  const large = all.filter((word) => !SMALL_WORDS.has(word));
  return large.length ? large : all;
}

/**
 * Returns how well an entry fits: 5 if its title begins with these words, 4 if the last of them may go on, 3 if each
 * begins a word of the title, 2 if the title contains them, 1 if the entry does, 0 if it does not.
 */
function quality({ title, sub = '', words = '', isSentence }: Findable, asked: string[]): number {
  const name = title.toLowerCase();
  const all = `${name} ${sub} ${words}`.toLowerCase();
  if (!asked.every((word) => all.includes(word))) return 0;
  if (isSentence) return 1;
  if (`${name} `.startsWith(`${asked.join(' ')} `)) return 5;
  if (name.startsWith(asked.join(' '))) return 4;
  if (asked.every((word) => name.startsWith(word) || name.includes(` ${word}`))) return 3;
  return asked.every((word) => name.includes(word)) ? 2 : 1;
}

/** Reports whether a title fits a query. */
export const fits = (title: string, query: string): boolean => quality({ group: '', title }, wordsOf(query)) > 0;

/**
 * Returns the entries that fit a query, the best first. Groups stay together, and entries that fit equally well keep
 * their order.
 */
export function rank<Entry extends Findable>(entries: Entry[], query: string): Entry[] {
  const asked = wordsOf(query);
  if (!asked.length) return entries;
  const found = entries
    .map((entry) => ({ entry, fit: quality(entry, asked) }))
    .filter(({ fit }) => fit > 0)
    .sort((a, b) => b.fit - a.fit);
  const groups = [...new Set(found.map(({ entry }) => entry.group))];
  return groups.flatMap((group) => found.flatMap(({ entry }) => (entry.group === group ? [entry] : [])));
}
