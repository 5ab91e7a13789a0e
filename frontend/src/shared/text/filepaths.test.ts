import { expect, it } from 'vitest';
import { findFilePaths } from './filepaths';

const read = (text: string) => findFilePaths(text).map(({ path, line }) => (line ? `${path} at ${line}` : path));

it('finds paths in sentences, quotes and output', () => {
  expect(read('See src/main.go:12, and `docs/plan.md`.')).toEqual(['src/main.go at 12', 'docs/plan.md']);
  expect(read('./a/b.ts:3:14: error')).toEqual(['./a/b.ts at 3']);
  expect(read('In Makefile:7 or /home/ana/übung.txt')).toEqual(['Makefile at 7', '/home/ana/übung.txt']);
  expect(read('README.md')).toEqual(['README.md']);
});

it('does not take words, addresses or ends of sentences for paths', () => {
  expect(read('Two words. And more')).toEqual([]);
  expect(read('https://shop.example/a.html')).toEqual([]);
  expect(read('ana@shop.example')).toEqual(['ana@shop.example']); // a candidate only: no such file exists
  expect(read('12 … 14')).toEqual([]);
});

it('reports the offset of a match in the text', () => {
  const text = 'at src/a.go:5.';
  const [place] = findFilePaths(text);
  expect(text.slice(place!.from, place!.to)).toBe('src/a.go:5');
});

it('limits the number of matches and stays fast on long text', () => {
  expect(findFilePaths('a/b.c '.repeat(5000))).toHaveLength(100);
  expect(findFilePaths('a.'.repeat(50_000))).toEqual([]);
  expect(findFilePaths('a/'.repeat(50_000))).toEqual([]);
});
