const mac = typeof navigator !== 'undefined' && /Mac/.test(navigator.platform ?? '');

/** The part of a key event that chords are matched against. */
export type KeyPress = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

/** Whether the press is the chord ("Ctrl+Shift+A", "Alt+Left", "F6"). Ctrl is Cmd on macOS. */
export function matches(press: KeyPress, chord: string, onMac = mac): boolean {
  const parts = chord.split('+');
  const key = parts.pop() ?? '';
  const want = { ctrl: parts.includes('Ctrl'), alt: parts.includes('Alt'), shift: parts.includes('Shift') };
  const main = onMac ? press.metaKey : press.ctrlKey;
  const other = onMac ? press.ctrlKey : press.metaKey;
  if (other || main !== want.ctrl || press.altKey !== want.alt || press.shiftKey !== want.shift) return false;
  const named: Record<string, string> = { Left: 'ArrowLeft', Right: 'ArrowRight', Up: 'ArrowUp', Down: 'ArrowDown' };
  if (named[key]) return press.key === named[key];
  if (/^[A-Z]$/.test(key)) return press.code === `Key${key}` || press.key.toUpperCase() === key;
  if (/^[0-9]$/.test(key)) return press.code === `Digit${key}` || press.key === key;
  if (key === '.') return press.code === 'Period' || press.key === '.';
  if (key === ',') return press.code === 'Comma' || press.key === ',';
  return press.key === key;
}

/** The label of a chord: "Ctrl Shift A", "⌘ K". */
export function chordLabel(chord: string, onMac = mac): string {
  const arrows: Record<string, string> = { Left: '←', Right: '→', Up: '↑', Down: '↓', Escape: 'Esc' };
  return chord
    .split('+')
    .map((part) => arrows[part] ?? (onMac && part === 'Ctrl' ? '⌘' : part))
    .join(' ');
}

/** Whether the key belongs to an input method's composition. */
export function composing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229;
}

/** The CDP bit field of held modifiers: Alt 1, Control 2, Meta 4, Shift 8. */
export function modifierBits(event: {
  altKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  shiftKey: boolean;
}): number {
  return (event.altKey ? 1 : 0) | (event.ctrlKey ? 2 : 0) | (event.metaKey ? 4 : 0) | (event.shiftKey ? 8 : 0);
}
