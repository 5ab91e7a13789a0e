import { expect, test } from 'vitest';
import { filledIn, openNames } from './template';

test('a form of addresses says what it leaves open, and takes values as each operator wants them', () => {
  expect(openNames('file://{+path}{?rev,line}{#line}')).toEqual(['path', 'rev', 'line']);
  expect(filledIn('file://{+path}{?rev,line}', { path: '/a b/c', rev: 'x&y', line: '' })).toBe(
    'file:///a%20b/c?rev=x%26y',
  );
  expect(filledIn('note:{id}', { id: 'a/b' })).toBe('note:a%2Fb');
  expect(filledIn('repo:{/owner,name*}', { owner: 'o', name: 'n' })).toBe('repo:/o/n');
  expect(filledIn('plain', {})).toBe('plain');
});
