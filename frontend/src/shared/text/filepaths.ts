/** A part of a text that may be a file path, and the line number after it (0 for none). */
export interface FilePathMatch {
  from: number;
  to: number;
  path: string;
  line: number;
}

const NAME = String.raw`[\p{L}\p{N}_.@+-]+`;
const WORD = new RegExp(
  String.raw`(?<![\p{L}\p{N}_/\\@.:-])(?:~?/)?${NAME}(?:/${NAME})*(?::(\d{1,7})(?::\d{1,5})?)?`,
  'gu',
);

/** The most matches in a text. */
const MOST = 100;

/**
 * Finds words that may be file paths because they have a folder, an extension or a line number, at most MOST. Some of
 * them, such as "e.g", are no paths. The caller must check which files exist.
 */
export function findFilePaths(text: string): FilePathMatch[] {
  const found: FilePathMatch[] = [];
  for (const match of text.matchAll(WORD)) {
    const line = Number(match[1] ?? 0);
    const whole = match[0];
    const named = line ? whole.slice(0, whole.indexOf(`:${match[1]}`)) : whole;
    // A period at the end belongs to the sentence, not to the path.
    const path = line ? named : named.replace(/\.+$/, '');
    if (path.length < 2 || path.length > 400 || (!line && !/[/.][\p{L}\p{N}_]/u.test(path))) continue;
    found.push({ from: match.index, to: match.index + (line ? whole.length : path.length), path, line });
    if (found.length === MOST) break;
  }
  return found;
}
