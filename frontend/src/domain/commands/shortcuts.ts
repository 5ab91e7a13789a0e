import type { KeyPress } from '../../shared/format/keys';

/** The value of the setting `shortcuts`: the chords that the person chose by the ids of commands, "" for none. */
export type Shortcuts = Record<string, string>;

/** Parses the setting. A value that is damaged counts as unset. */
export function parseShortcuts(text: string): Shortcuts {
  try {
    const value: unknown = JSON.parse(text || '{}');
    if (typeof value !== 'object' || value === null) return {};
    return Object.fromEntries(Object.entries(value).filter(([, chord]) => typeof chord === 'string'));
  } catch {
    return {};
  }
}

const ARROWS: Record<string, string> = { ArrowLeft: 'Left', ArrowRight: 'Right', ArrowUp: 'Up', ArrowDown: 'Down' };

/** Returns the chord of a key press ("Ctrl+Shift+A"), "" while only modifiers are held. */
export function chordOf(press: KeyPress): string {
  if (['Control', 'Shift', 'Alt', 'Meta', 'AltGraph'].includes(press.key)) return '';
  const letter = /^(?:Key|Digit)([A-Z0-9])$/.exec(press.code)?.[1];
  const key = letter ?? ARROWS[press.key] ?? press.key;
  const held = [(press.ctrlKey || press.metaKey) && 'Ctrl', press.altKey && 'Alt', press.shiftKey && 'Shift'];
  return [...held.filter(Boolean), key].join('+');
}

/** Reports whether a chord can be a shortcut: it types no text and does not edit it. */
export function isAllowed(chord: string): boolean {
  if (/^(Shift\+)?F([1-9]|1[0-2])$/.test(chord)) return true;
  return /^(Ctrl|Alt)\+/.test(chord) && !/^Ctrl\+(Shift\+)?[ACVXYZ]$/.test(chord) && !/(Tab|Enter|Escape)$/.test(chord);
}
