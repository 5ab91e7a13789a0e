import { expect, test } from 'vitest';
import { draftOf, entryOf } from './entry';

test('converts an entry into a form and back without loss', () => {
  const program = {
    command: 'npx',
    args: ['-y', 'a b', ''],
    env: { KEY: '{{secret:x}}' },
    cwd: '/srv',
    disabled: true,
    sextant: { grants: { write: ['~/notes'] } },
    roots: true,
    sampling: false,
  };
  expect(entryOf(draftOf('files', program), program)).toEqual({
    entry: { ...program, args: ['-y', 'a b'] },
    error: null,
  });
  const remote = { url: 'https://mcp.example/x', headers: { Authorization: 'Bearer a:b' }, type: 'sse' };
  expect(entryOf(draftOf('far', remote), remote)).toEqual({ entry: remote, error: null });
});

test('reports invalid input with its line', () => {
  const draft = draftOf('one', { command: 'sh' });
  expect(entryOf({ ...draft, env: 'A=1\n\nbad line' }).error).toEqual({ field: 'env', line: 3 });
  expect(entryOf({ ...draft, command: ' ' }).error).toEqual({ field: 'command', line: 0 });
  expect(entryOf({ ...draft, name: '' }).error).toEqual({ field: 'name', line: 0 });
  expect(entryOf({ ...draft, remote: true, url: 'ftp://x' }).error).toEqual({ field: 'url', line: 0 });
});
