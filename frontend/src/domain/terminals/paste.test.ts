import { expect, test } from 'vitest';
import { mustConfirmPaste, countLines, sanitizePaste, cleanTitle } from './paste';

test('removes control characters from a paste and keeps its lines', () => {
  expect(sanitizePaste('ls\r\necho \u001b[201~hi\u0007\tx')).toBe('ls\necho [201~hi\tx');
  expect(sanitizePaste('safe\u202Eevil\u200b')).toBe('safeevil');
});

test('asks before a paste that would run a line', () => {
  expect(mustConfirmPaste('ls -la')).toBe(false);
  expect(mustConfirmPaste('ls\n')).toBe(true);
  expect(countLines('a\nb\n')).toBe(2);
  expect(countLines('a\nb')).toBe(2);
});

test('shortens a title to one line without invisible characters', () => {
  expect(cleanTitle('vim\u202e notes\n.txt')).toBe('vim notes .txt');
  expect(cleanTitle('x'.repeat(500))).toHaveLength(40);
});
