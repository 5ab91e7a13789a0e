import { beforeEach, expect, test } from 'vitest';
import { Drafts } from './drafts';
import { Attachments, ATTACHMENTS_MAX } from './attachments.svelte';

const saved = new Map<string, string>();
const newAttachments = () =>
  new Attachments(
    new Drafts(
      (key) => saved.get(key) ?? '',
      async (key, text) => saved.set(key, text),
    ),
  );
const text = (title: string) => ({ server: 'shelf', title, text: `words of ${title}` });

beforeEach(() => {
  localStorage.clear();
  saved.clear();
});

test('restores the sources of a draft after a reload, until the draft is empty', () => {
  const before = newAttachments();
  before.open('c1');
  before.addSource('shelf', []);
  before.attach(text('a'));
  const after = newAttachments();
  after.open('c1');
  expect([after.from, after.attached.map((one) => one.title)]).toEqual([['shelf'], ['a']]);
  after.open('c2');
  expect(after.any).toBe(false);
  after.open('c1');
  after.clearSources();
  expect([after.from, after.attached.length]).toEqual([[], 1]);
  after.clear('c1');
  const last = newAttachments();
  last.open('c1');
  expect(last.any).toBe(false);
});

test('attaches a text once, and no more than the limit', () => {
  const attachments = newAttachments();
  attachments.open('');
  for (let i = 0; i < ATTACHMENTS_MAX; i++) expect(attachments.attach(text(`t${i}`))).toBe(true);
  expect(attachments.attach(text('t0'))).toBe(true);
  expect(attachments.attach(text('more'))).toBe(false);
  expect(attachments.attached).toHaveLength(ATTACHMENTS_MAX);
  attachments.moveFromNew('c9');
  attachments.open('');
  expect(attachments.any).toBe(false);
  attachments.open('c9');
  expect(attachments.attached).toHaveLength(ATTACHMENTS_MAX);
});
