import { beforeEach, expect, test } from 'vitest';
import { Drafts } from './drafts';
import { Attachments, ATTACHMENTS_MAX } from './attachments.svelte';

const kept = new Map<string, string>();
const giving = () =>
  new Attachments(
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

test('remembers the sources of a draft over a reload, until the draft is empty', () => {
  const before = giving();
  before.open('c1');
  before.addSource('shelf', []);
  before.attach(text('a'));
  const after = giving();
  after.open('c1');
  expect([after.from, after.attached.map((one) => one.title)]).toEqual([['shelf'], ['a']]);
  after.open('c2');
  expect(after.any).toBe(false);
  after.open('c1');
  after.clearSources();
  expect([after.from, after.attached.length]).toEqual([[], 1]);
  after.clear('c1');
  const last = giving();
  last.open('c1');
  expect(last.any).toBe(false);
});

test('a text is given once, and no more than a message takes', () => {
  const given = giving();
  given.open('');
  for (let i = 0; i < ATTACHMENTS_MAX; i++) expect(given.attach(text(`t${i}`))).toBe(true);
  expect(given.attach(text('t0'))).toBe(true);
  expect(given.attach(text('more'))).toBe(false);
  expect(given.attached).toHaveLength(ATTACHMENTS_MAX);
  given.moveToNew('c9');
  given.open('');
  expect(given.any).toBe(false);
  given.open('c9');
  expect(given.attached).toHaveLength(ATTACHMENTS_MAX);
});
