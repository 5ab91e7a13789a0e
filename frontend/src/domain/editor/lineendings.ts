/** Converts the line endings of a file when it is read and written. The editor works with \n. */
export interface LineEndings {
  name: 'LF' | 'CRLF' | 'mixed';
  read(text: string): string;
  write(text: string): string;
}

const same = (text: string) => text.replace(/\r\n?/g, '\n');

export const LF: LineEndings = { name: 'LF', read: same, write: (text) => text };
const CRLF: LineEndings = { name: 'CRLF', read: same, write: (text) => text.replaceAll('\n', '\r\n') };
/** Mixed line endings become LF when the file is saved. */
const MIXED: LineEndings = { name: 'mixed', read: same, write: (text) => text };

/** Detects the line endings of a text. */
export function lineEndingsOf(text: string): LineEndings {
  if (!text.includes('\r')) return LF;
  const pairs = text.split('\r\n').length - 1;
  const lines = text.split('\n').length - 1;
  const returns = text.split('\r').length - 1;
  return pairs === lines && pairs === returns ? CRLF : MIXED;
}
