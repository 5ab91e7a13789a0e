import { describe, expect, it } from 'vitest';
import { diffRows, splitRows } from './diff';

describe('a unified diff', () => {
  it('is parsed into lines with the numbers of both sides', () => {
    const rows = diffRows('--- a.txt\n+++ a.txt\n@@ -4,3 +4,3 @@\n one\n-two\n+--- two\n three\n');
    expect(rows).toEqual([
      { kind: 'hunk', before: 0, after: 0, text: '@@ -4,3 +4,3 @@' },
      { kind: 'same', before: 4, after: 4, text: 'one' },
      { kind: 'del', before: 5, after: 0, text: 'two' },
      { kind: 'add', before: 0, after: 5, text: '--- two' },
      { kind: 'same', before: 6, after: 6, text: 'three' },
    ]);
  });

  it('of several files says what happened to each', () => {
    const rows = diffRows(
      'changed a.txt\n--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-a\n+-- b\n\\ No newline at end of file\n' +
        'deleted out/ (2 files)\ncreated c.txt\n--- c.txt\n+++ c.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n',
    );
    expect(rows.map((row) => `${row.kind} ${row.text}`)).toEqual([
      'file changed a.txt',
      'hunk @@ -1 +1 @@',
      'del a',
      'add -- b',
      'file deleted out/ (2 files)',
      'file created c.txt',
      'hunk @@ -0,0 +1,2 @@',
      'add one',
      'add two',
    ]);
  });

  it('with too few lines in a hunk hides nothing that follows', () => {
    const rows = diffRows('changed a\n@@ -0,0 +1,9999 @@\n+a\ndeleted b\n');
    expect(rows.map((row) => row.text)).toEqual(['changed a', '@@ -0,0 +1,9999 @@', 'a', 'deleted b']);
  });

  it('has no lines when it is empty', () => {
    expect(diffRows('')).toEqual([]);
  });
});

it('side by side, removed lines are paired with the added lines of the same change', () => {
  const rows = diffRows('@@ -1,4 +1,4 @@\n a\n-b\n-c\n+B\n d\n+e\n');
  expect(splitRows(rows).map(({ left, right }) => [left?.text ?? null, right?.text ?? null])).toEqual([
    ['@@ -1,4 +1,4 @@', '@@ -1,4 +1,4 @@'],
    ['a', 'a'],
    ['b', 'B'],
    ['c', null],
    ['d', 'd'],
    [null, 'e'],
  ]);
});
