import { expect, it } from 'vitest';
import type { Actions } from '../actions';
import { Programs } from './programs.svelte';

const programList = (session: string) => ({
  command: '/usr/bin/sextant',
  args: ['mcp'],
  url: 'http://127.0.0.1:4000/mcp',
  token: 'secret',
  session,
  programs: [],
});

function newPrograms() {
  let asked = 0;
  const backend = {
    programs: async () => programList(`s${++asked}`),
    dismissProgram: async () => programList('left'),
  };
  const attempt = async (request: Promise<unknown>) => {
    await request;
    return true;
  };
  return new Programs({ backend, attempt } as unknown as Actions);
}

it('keeps its session name when the program suggests another', async () => {
  const programs = newPrograms();
  await programs.read();
  await programs.read();
  expect(await programs.dismiss('x')).toBe(true);
  expect(programs.address).toBe('http://127.0.0.1:4000/mcp?session=s1');
});

it('formats the configuration for stdio and HTTP', async () => {
  const programs = newPrograms();
  await programs.read();
  expect(JSON.parse(programs.stdioConfig())).toEqual({
    mcpServers: { sextant: { command: '/usr/bin/sextant', args: ['mcp'] } },
  });
  const shown = programs.httpConfig('…');
  expect(shown).not.toContain('secret');
  expect(JSON.parse(programs.httpConfig('secret')).mcpServers.sextant.headers).toEqual({
    Authorization: 'Bearer secret',
  });
});
