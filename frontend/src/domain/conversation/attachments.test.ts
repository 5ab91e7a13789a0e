import { beforeEach, expect, test } from 'vitest';
import type { StoredFile } from '../../shared/api/types';
import { Drafts } from './drafts';
import { Attachments, ATTACHMENTS_MAX } from './attachments.svelte';

const stored = async (name: string, content: Blob): Promise<StoredFile> => {
  if (name === 'bad') throw new Error('cannot be read');
  return { blob: `b-${name}`, name, kind: 'text', mime: 'text/plain', size: content.size, tokens: 1 };
};
const saved = new Map<string, string>();
const newAttachments = () =>
  new Attachments(
    new Drafts(
      (key) => saved.get(key) ?? '',
      async (key, text) => saved.set(key, text),
    ),
    (name, file) => stored(name, file),
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

test('keeps files with the draft and shows why one was refused', async () => {
  const attachments = newAttachments();
  attachments.open('c1');
  await Promise.all([attachments.addFile('a.txt', new Blob(['words'])), attachments.addFile('bad', new Blob(['x']))]);
  expect(attachments.files.map((file) => file.name)).toEqual(['a.txt']);
  expect(attachments.refused.map(({ name, reason }) => [name, /cannot be read/.test(reason)])).toEqual([['bad', true]]);
  const after = newAttachments();
  after.open('c1');
  expect(after.context.files).toEqual(attachments.files);
  after.removeFile(after.files[0]!);
  after.open('c1');
  expect(after.any).toBe(false);
});

test('attaches a file to the draft that was open when it was added', async () => {
  const attachments = newAttachments();
  attachments.open('c1');
  const adding = attachments.addFile('a.txt', new Blob(['words']));
  attachments.open('c2');
  await adding;
  expect(attachments.files).toEqual([]);
  attachments.open('c1');
  expect(attachments.files).toHaveLength(1);
});

test('refuses files over the limits before they are sent anywhere', async () => {
  const attachments = newAttachments();
  attachments.open('');
  await attachments.addFile('big', { size: 30 << 20 } as Blob);
  for (let i = 0; i <= ATTACHMENTS_MAX; i++) await attachments.addFile(`f${i}`, new Blob(['x']));
  expect([attachments.files.length, attachments.refused.map((one) => one.name)]).toEqual([
    ATTACHMENTS_MAX,
    ['big', `f${ATTACHMENTS_MAX}`],
  ]);
});
