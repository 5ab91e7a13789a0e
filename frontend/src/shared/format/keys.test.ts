import { describe, expect, it } from 'vitest';
import { chordLabel, matchesChord, modifierBits, type KeyPress } from './keys';

const press = (key: string, more: Partial<KeyPress> = {}): KeyPress => ({
  key,
  code: '',
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...more,
});

describe('a chord', () => {
  it('matches with exactly its modifiers', () => {
    expect(matchesChord(press('k', { ctrlKey: true }), 'Ctrl+K', false)).toBe(true);
    expect(matchesChord(press('k', { ctrlKey: true, shiftKey: true }), 'Ctrl+K', false)).toBe(false);
    expect(matchesChord(press('k'), 'Ctrl+K', false)).toBe(false);
  });
  it('uses Cmd on macOS', () => {
    expect(matchesChord(press('k', { metaKey: true }), 'Ctrl+K', true)).toBe(true);
    expect(matchesChord(press('k', { ctrlKey: true }), 'Ctrl+K', true)).toBe(false);
    expect(chordLabel('Ctrl+K', true)).toBe('⌘ K');
  });
  it('matches the physical key when Alt or the layout changes the letter', () => {
    expect(matchesChord(press('†', { code: 'KeyT', altKey: true, shiftKey: true }), 'Alt+Shift+T', false)).toBe(true);
    expect(matchesChord(press('&', { code: 'Digit1', ctrlKey: true }), 'Ctrl+1', false)).toBe(true);
    expect(matchesChord(press(':', { code: 'Period', ctrlKey: true, shiftKey: true }), 'Ctrl+Shift+.', false)).toBe(
      true,
    );
  });
  it('matches arrows and function keys', () => {
    expect(matchesChord(press('ArrowLeft', { altKey: true }), 'Alt+Left', false)).toBe(true);
    expect(matchesChord(press('F6', { shiftKey: true }), 'F6', false)).toBe(false);
    expect(chordLabel('Alt+Left', false)).toBe('Alt ←');
  });
  it('has CDP modifier bits', () => {
    expect(modifierBits(press('a', { altKey: true, shiftKey: true }))).toBe(9);
    expect(modifierBits(press('a', { ctrlKey: true, metaKey: true }))).toBe(6);
  });
});
