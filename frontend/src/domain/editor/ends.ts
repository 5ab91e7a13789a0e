/** How a file ends its lines: an editor has \n, the file gets its own back. */
export interface LineEnds {
  name: 'LF' | 'CRLF' | 'mixed';
  read(text: string): string;
  write(text: string): string;
}

const same = (text: string) => text.replace(/\r\n?/g, '\n');

export const LF: LineEnds = { name: 'LF', read: same, write: (text) => text };
const CRLF: LineEnds = { name: 'CRLF', read: same, write: (text) => text.replaceAll('\n', '\r\n') };
/** Lines that end in different ways get one way when they are saved. */
const MIXED: LineEnds = { name: 'mixed', read: same, write: (text) => text };

/** The line ends of a text. */
export function endsOf(text: string): LineEnds {
  if (!text.includes('\r')) return LF;
  const pairs = text.split('\r\n').length - 1;
  const lines = text.split('\n').length - 1;
  const returns = text.split('\r').length - 1;
  return pairs === lines && pairs === returns ? CRLF : MIXED;
}
