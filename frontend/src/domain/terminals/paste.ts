/** Control and invisible characters, which pages may hide in copied text. */
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069]/g;

/** Text for pasting: with \n as line ending and without control characters. */
export function pasteText(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(CONTROL, '');
}

/** How many lines a paste has. */
export function pastedLines(text: string): number {
  return text.split('\n').filter((line, i, all) => i < all.length - 1 || line !== '').length;
}

/** Whether to ask before a paste, because it would run lines unread. */
export function asksBeforePaste(text: string): boolean {
  return text.includes('\n');
}

/** The title of a program, cleaned and shortened for display. */
export function programTitle(title: string): string {
  const plain = title.replace(CONTROL, '').replace(/\s+/g, ' ').trim();
  return plain.length > 40 ? `${plain.slice(0, 39)}…` : plain;
}
