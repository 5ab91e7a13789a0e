import { expect, it } from 'vitest';
import { valueAt, fieldOf, fillTemplate, fillArgs, rowKey } from './placeholders';

it('inserts a value as plain text and does not fill placeholders in it', () => {
  const row = { title: '<img src=x> {secret}', secret: 'no', n: 3, tags: { first: 'a' }, done: false };
  expect(fillTemplate('{title}: {n} {tags.first} {done}{gone}', row)).toBe('<img src=x> {secret}: 3 a false');
  expect(fillTemplate('{n} of { this } {2}', row)).toBe('3 of { this } {2}');
  expect(fillTemplate('{value}', 'milk')).toBe('milk');
});

it('formats a value as a date, a time or a number', () => {
  const row = { when: '2026-03-05', at: '2026-03-05T14:02:00', n: 12345.5, odd: 'soon' };
  expect(fillTemplate('{when|date}, {at|time}, {n|number}, {odd|date}', row)).toBe('5 Mar 2026, 14:02, 12,345.5, soon');
});

it('preserves the type of an argument that is only a placeholder', () => {
  const row = { id: 7, name: 'Emma' };
  const args = { id: '{id}', label: 'the {name}', fixed: 3, gone: '{nothing}' };
  expect(fillArgs(args, row)).toEqual({ id: 7, label: 'the Emma', fixed: 3, gone: undefined });
});

it('reads own members only', () => {
  const value = { rows: [{ 'a/b': 1 }] };
  expect(valueAt(value, '/rows/0/a~1b')).toBe(1);
  expect(valueAt(value, '')).toBe(value);
  expect(valueAt(value, '/rows/9/x')).toBeUndefined();
  expect(valueAt(value, '/constructor/name')).toBeUndefined();
  expect(fieldOf({}, '__proto__')).toBeUndefined();
});

it('uses the id of a row as its key', () => {
  expect(rowKey({ id: 4 }, 0)).not.toBe(rowKey({ id: 5 }, 0));
  expect(rowKey('milk', 2)).toBe('2');
});
