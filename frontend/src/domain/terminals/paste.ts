/** Characters that steer a terminal; a paste never needs them, and pages put them into what is copied. */
// eslint-disable-next-line no-control-regex
const STEERING = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069]/g;

/** A text as it may be pasted: line ends alike, nothing that steers. */
export function pasteText(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(STEERING, '');
}

/** How many lines a paste would run: one without a line end runs none by itself. */
export function pastedLines(text: string): number {
  return text.split('\n').filter((line, i, all) => i < all.length - 1 || line !== '').length;
}

/** Whether a paste is worth a question: it would run lines before anybody read them. */
export function asksBeforePaste(text: string): boolean {
  return text.includes('\n');
}

/** A title that a program gave itself, as it may stand beside ours. */
export function programTitle(title: string): string {
  const plain = title.replace(STEERING, '').replace(/\s+/g, ' ').trim();
  return plain.length > 40 ? `${plain.slice(0, 39)}…` : plain;
}
