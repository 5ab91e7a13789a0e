/** Control and invisible characters. A page may hide them in text that is copied from it. */
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069]/g;

/** Prepares text for pasting: converts line endings to \n and removes control and invisible characters. */
export function sanitizePaste(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(CONTROL, '');
}

/** Returns the number of lines in a paste. */
export function countLines(text: string): number {
  return text.split('\n').filter((line, i, all) => i < all.length - 1 || line !== '').length;
}

/** Reports whether to ask before a paste: a shell may run its lines before the person has read them. */
export function mustConfirmPaste(text: string): boolean {
  return text.includes('\n');
}

/** Cleans the title that a program has set, and shortens it to 40 characters. */
export function cleanTitle(title: string): string {
  const plain = title.replace(CONTROL, '').replace(/\s+/g, ' ').trim();
  return plain.length > 40 ? `${plain.slice(0, 39)}…` : plain;
}
