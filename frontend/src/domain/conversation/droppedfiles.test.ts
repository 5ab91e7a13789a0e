import { expect, test } from 'vitest';
import { isPathsOf } from './droppedfiles';

test.each([
  ['a path', '/home/ada/a.txt', ['a.txt'], true],
  ['two addresses', 'file:///home/a.txt\r\nfile:///home/b.txt\n', ['a.txt', 'b.txt'], true],
  ['a path of another file', '/home/ada/b.txt', ['a.txt'], false],
  ['more than paths', '/home/ada/a.txt\nand more', ['a.txt'], false],
  ['a name that was copied as text', 'a.txt', ['a.txt'], false],
  ['nothing', '', ['a.txt'], false],
])('%s', (_, text, names, is) => {
  expect(isPathsOf(text, names)).toBe(is);
});
