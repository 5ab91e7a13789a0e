import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Drafts } from './drafts';

const program: { [key: string]: string } = {};
const open = () => {
  const saved = { ...program };
  return new Drafts(
    (key) => saved[key] ?? '',
    async (key, text) => void (program[key] = text),
  );
};
const settle = () => vi.advanceTimersByTimeAsync(1000);

beforeEach(() => {
  vi.useFakeTimers();
  localStorage.clear();
  for (const key of Object.keys(program)) delete program[key];
});
afterEach(() => void vi.useRealTimers());

it('saves every key press at once', () => {
  open().write('c1', 'half a sen');
  expect(program).toEqual({});
  const again = open();
  expect(again.read('c1')).toBe('half a sen');
  expect(again.read('')).toBe('');
});

it('restores a draft that the program saved, with and without a conversation', async () => {
  const drafts = open();
  drafts.write('', 'a question');
  drafts.write('c1', 'an answer');
  await settle();
  localStorage.clear();
  expect(open().read('')).toBe('a question');
  expect(open().read('c1')).toBe('an answer');
});

it('does not restore a sent message', async () => {
  open().write('', 'sent');
  await settle();
  const drafts = open();
  expect(drafts.read('')).toBe('sent');
  drafts.moveFromNew('c1');
  drafts.write('c1', '');
  expect([drafts.read(''), drafts.read('c1')]).toEqual(['', '']);
  await settle();
  localStorage.clear();
  expect([open().read(''), open().read('c1')]).toEqual(['', '']);
});

it('saves the drafts of two conversations', async () => {
  const drafts = open();
  drafts.write('c1', 'one');
  drafts.write('c2', 'two');
  await settle();
  expect(program).toEqual({ 'draft.c1': 'one', 'draft.c2': 'two' });
});

it('works when the storage is full', async () => {
  vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError');
  });
  const drafts = open();
  drafts.write('c1', 'still here');
  expect(drafts.read('c1')).toBe('still here');
  await settle();
  expect(program['draft.c1']).toBe('still here');
  vi.restoreAllMocks();
});
