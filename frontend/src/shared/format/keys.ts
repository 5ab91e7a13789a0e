const mac = typeof navigator !== 'undefined' && /Mac/.test(navigator.platform ?? '');

/** The properties of a key event that chords are compared with. */
export type KeyPress = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

/** Reports whether a key press is the chord ("Ctrl+Shift+A", "Alt+Left", "F6"). On macOS, Ctrl means Cmd. */
export function matchesChord(press: KeyPress, chord: string, onMac = mac): boolean {
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

/** Returns the label of a chord: "Ctrl Shift A", or "⌘ K" on macOS. */
export function chordLabel(chord: string, onMac = mac): string {
  const arrows: Record<string, string> = { Left: '←', Right: '→', Up: '↑', Down: '↓', Escape: 'Esc' };
  return chord
    .split('+')
    .map((part) => arrows[part] ?? (onMac && part === 'Ctrl' ? '⌘' : part))
    .join(' ');
}

/** Reports whether a key event belongs to the composition of an input method. */
export function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229;
}

/** Returns the held modifiers as the bit field of the DevTools protocol: Alt 1, Control 2, Meta 4, Shift 8. */
export function modifierBits(event: {
  altKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  shiftKey: boolean;
}): number {
  return (event.altKey ? 1 : 0) | (event.ctrlKey ? 2 : 0) | (event.metaKey ? 4 : 0) | (event.shiftKey ? 8 : 0);
}
