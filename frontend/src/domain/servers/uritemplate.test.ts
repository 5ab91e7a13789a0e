import { expect, test } from 'vitest';
import { expandTemplate, variableNames } from './uritemplate';

test('lists the variables of a template and expands every operator', () => {
  expect(variableNames('file://{+path}{?rev,line}{#line}')).toEqual(['path', 'rev', 'line']);
  expect(expandTemplate('file://{+path}{?rev,line}', { path: '/a b/c', rev: 'x&y', line: '' })).toBe(
    'file:///a%20b/c?rev=x%26y',
  );
  expect(expandTemplate('note:{id}', { id: 'a/b' })).toBe('note:a%2Fb');
  expect(expandTemplate('repo:{/owner,name*}', { owner: 'o', name: 'n' })).toBe('repo:/o/n');
  expect(expandTemplate('plain', {})).toBe('plain');
});
