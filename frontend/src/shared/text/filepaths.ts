/** A piece of text that could name a file, with a line if it does. */
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

/** A text has this many at most: more is a listing, and all of it is looked up. */
const MOST = 100;

/**
 * What in a text could be the path of a file: with a folder, an ending or a line. Whether it is there
 * has to be asked; words such as "e.g." are among them.
 */
export function findFilePaths(text: string): FilePathMatch[] {
  const found: FilePathMatch[] = [];
  for (const match of text.matchAll(WORD)) {
    const line = Number(match[1] ?? 0);
    const whole = match[0];
    const named = line ? whole.slice(0, whole.indexOf(`:${match[1]}`)) : whole;
    // The end of a sentence is no part of a name.
    const path = line ? named : named.replace(/\.+$/, '');
    if (path.length < 2 || path.length > 400 || (!line && !/[/.][\p{L}\p{N}_]/u.test(path))) continue;
    found.push({ from: match.index, to: match.index + (line ? whole.length : path.length), path, line });
    if (found.length === MOST) break;
  }
  return found;
}
