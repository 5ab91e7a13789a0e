import { beforeEach, expect, test } from 'vitest';
import { Drafts } from './drafts';
import { Giving, MOST_GIVEN } from './given.svelte';

const kept = new Map<string, string>();
const giving = () =>
  new Giving(
    new Drafts(
      (key) => kept.get(key) ?? '',
      async (key, text) => kept.set(key, text),
    ),
  );
const text = (title: string) => ({ server: 'shelf', title, text: `words of ${title}` });

beforeEach(() => {
  localStorage.clear();
  kept.clear();
});

test('whose words stand in a draft is known after the window was loaded anew, until nothing is written', () => {
  const before = giving();
  before.open('c1');
  before.worded('shelf', []);
  before.attach(text('a'));
  const after = giving();
  after.open('c1');
  expect([after.from, after.attached.map((one) => one.title)]).toEqual([['shelf'], ['a']]);
  after.open('c2');
  expect(after.any).toBe(false);
  after.open('c1');
  after.empty();
  expect([after.from, after.attached.length]).toEqual([[], 1]);
  after.clear('c1');
  const last = giving();
  last.open('c1');
  expect(last.any).toBe(false);
});

test('a text is given once, and no more than a message takes', () => {
  const given = giving();
  given.open('');
  for (let i = 0; i < MOST_GIVEN; i++) expect(given.attach(text(`t${i}`))).toBe(true);
  expect(given.attach(text('t0'))).toBe(true);
  expect(given.attach(text('more'))).toBe(false);
  expect(given.attached).toHaveLength(MOST_GIVEN);
  given.born('c9');
  given.open('');
  expect(given.any).toBe(false);
  given.open('c9');
  expect(given.attached).toHaveLength(MOST_GIVEN);
});
