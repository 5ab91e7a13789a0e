import { expect, it } from 'vitest';
import { findFilePaths } from './filepaths';

const read = (text: string) => findFilePaths(text).map(({ path, line }) => (line ? `${path} at ${line}` : path));

it('paths are found where people write them', () => {
  expect(read('See src/main.go:12, and `docs/plan.md`.')).toEqual(['src/main.go at 12', 'docs/plan.md']);
  expect(read('./a/b.ts:3:14: error')).toEqual(['./a/b.ts at 3']);
  expect(read('In Makefile:7 or /home/ana/übung.txt')).toEqual(['Makefile at 7', '/home/ana/übung.txt']);
  expect(read('README.md')).toEqual(['README.md']);
});

it('words, addresses and ends of sentences are none', () => {
  expect(read('Two words. And more')).toEqual([]);
  expect(read('https://shop.example/a.html')).toEqual([]);
  expect(read('ana@shop.example')).toEqual(['ana@shop.example']); // not there, when it is asked
  expect(read('12 … 14')).toEqual([]);
});

it('a place knows where it stands in the text', () => {
  const text = 'at src/a.go:5.';
  const [place] = findFilePaths(text);
  expect(text.slice(place!.from, place!.to)).toBe('src/a.go:5');
});

it('a flood of names is cut off, and slow for nobody', () => {
  expect(findFilePaths('a/b.c '.repeat(5000))).toHaveLength(100);
  expect(findFilePaths('a.'.repeat(50_000))).toEqual([]);
  expect(findFilePaths('a/'.repeat(50_000))).toEqual([]);
});
