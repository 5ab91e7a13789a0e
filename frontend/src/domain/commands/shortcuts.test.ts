import { expect, test } from 'vitest';
import { Commands } from './commands.svelte';
import { chordOf, isAllowed, parseShortcuts } from './shortcuts';

const press = (key: string, code: string, held: string[] = []) =>
  new KeyboardEvent('keydown', {
    key,
    code,
    ctrlKey: held.includes('ctrl'),
    altKey: held.includes('alt'),
    shiftKey: held.includes('shift'),
  });

test('a key press has a chord', () => {
  expect(chordOf(press('A', 'KeyA', ['ctrl', 'shift']))).toBe('Ctrl+Shift+A');
  expect(chordOf(press('ArrowLeft', 'ArrowLeft', ['alt']))).toBe('Alt+Left');
  expect(chordOf(press('F9', 'F9'))).toBe('F9');
  expect(chordOf(press('Control', 'ControlLeft', ['ctrl']))).toBe('');
});

test('keys that type or edit text are no shortcuts', () => {
  for (const chord of ['Ctrl+Shift+P', 'Alt+N', 'F9', 'Ctrl+Alt+1']) expect(isAllowed(chord), chord).toBe(true);
  for (const chord of ['A', 'Shift+A', 'Ctrl+C', 'Ctrl+Shift+Z', 'Ctrl+Enter', 'Escape']) {
    expect(isAllowed(chord), chord).toBe(false);
  }
});

test('a damaged setting counts as unset', () => {
  for (const text of ['', '{', 'null', '3', '{"a": 3}']) expect(parseShortcuts(text), text).toEqual({});
});

test('a chosen shortcut replaces the default ones, and an empty one removes them', () => {
  let chosen: Record<string, string> = {};
  const commands = new Commands(true, () => chosen);
  const ran: string[] = [];
  commands.add([
    { id: 'new', title: 'New', keys: ['Ctrl+N'], fallback: ['Alt+Shift+N'], run: () => ran.push('new') },
    { id: 'find', title: 'Find', keys: ['Ctrl+F'], run: () => ran.push('find') },
  ]);
  expect(commands.press(press('n', 'KeyN', ['ctrl']))).toBe(true);
  chosen = { new: 'Ctrl+Shift+P', find: '' };
  expect(commands.press(press('n', 'KeyN', ['ctrl']))).toBe(false);
  expect(commands.press(press('f', 'KeyF', ['ctrl']))).toBe(false);
  expect(commands.press(press('P', 'KeyP', ['ctrl', 'shift']))).toBe(true);
  expect(ran).toEqual(['new', 'new']);
  expect(commands.key('new')).toBe('Ctrl Shift P');
  expect(commands.key('find')).toBe('');
  expect(commands.withChord('Ctrl+Shift+P')?.id).toBe('new');
});

test('a message names a command by its words, with or without politeness', () => {
  const commands = new Commands(true, () => ({}));
  let page = false;
  const run = () => undefined;
  commands.add([
    { id: 'dark', title: 'Dark mode', words: 'dark|dark mode', run },
    { id: 'find', title: 'Find', words: 'find|find on', disabledReason: () => (page ? '' : 'No page'), run },
    { id: 'silent', title: 'Silent', run },
  ]);
  const named = (message: string) => commands.named(message)?.id;
  expect(named('Please switch to dark mode!')).toBe('dark');
  expect(named('make it dark')).toBe('dark');
  for (const other of ['', 'open', 'why is it dark', 'dark mode and click 3', 'silent', 'find on this page']) {
    expect(named(other), other).toBeUndefined();
  }
  page = true;
  expect(named('find on this page')).toBe('find');
});
