import { expect, test } from 'vitest';
import { asksBeforePaste, pastedLines, pasteText, programTitle } from './paste';

test('removes control characters from a paste and keeps its lines', () => {
  expect(pasteText('ls\r\necho \u001b[201~hi\u0007\tx')).toBe('ls\necho [201~hi\tx');
  expect(pasteText('safe\u202Eevil\u200b')).toBe('safeevil');
});

test('asks before a paste that would run a line', () => {
  expect(asksBeforePaste('ls -la')).toBe(false);
  expect(asksBeforePaste('ls\n')).toBe(true);
  expect(pastedLines('a\nb\n')).toBe(2);
  expect(pastedLines('a\nb')).toBe(2);
});

test('shortens a title to one line without invisible characters', () => {
  expect(programTitle('vim\u202e notes\n.txt')).toBe('vim notes .txt');
  expect(programTitle('x'.repeat(500))).toHaveLength(40);
});
