import { expect, test } from 'vitest';
import { draftOf, entryOf, splitCommandLine } from './entry';

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

test.each([
  [
    'npx -y @modelcontextprotocol/server-filesystem .',
    'filesystem',
    'npx',
    '-y\n@modelcontextprotocol/server-filesystem\n.',
    '',
  ],
  [
    'KEY=1 uvx mcp-server-git@1.2 "--folder" \'My notes\'',
    'git',
    'uvx',
    'mcp-server-git@1.2\n--folder\nMy notes',
    'KEY=1',
  ],
  ['node /srv/time.mjs', 'time', 'node', '/srv/time.mjs', ''],
  ['docker run -i mcp/fetch', 'fetch', 'docker', 'run\n-i\nmcp/fetch', ''],
])('%s is split', (command, name, program, args, env) => {
  const draft = splitCommandLine({ ...draftOf(), command });
  expect(draft).toMatchObject({ name, command: program, args, env });
});

test('a command with arguments or without is not split', () => {
  for (const draft of [
    { ...draftOf(), command: 'a b', args: 'c' },
    { ...draftOf(), command: '/usr/bin/node' },
    { ...draftOf(), command: '' },
  ]) {
    expect(splitCommandLine(draft)).toEqual(draft);
  }
});
