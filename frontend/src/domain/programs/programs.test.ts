import { expect, it } from 'vitest';
import type { Actions } from '../actions';
import { Programs } from './programs.svelte';

const told = (session: string) => ({
  command: '/usr/bin/sextant',
  args: ['mcp'],
  url: 'http://127.0.0.1:4000/mcp',
  token: 'secret',
  session,
  programs: [],
});

function made() {
  let asked = 0;
  const backend = {
    programs: async () => told(`s${++asked}`),
    dismissProgram: async () => told('left'),
  };
  const ask = async (request: Promise<unknown>) => {
    await request;
    return true;
  };
  return new Programs({ backend, ask } as unknown as Actions);
}

it('keeps the name of the session that it shows', async () => {
  const programs = made();
  await programs.read();
  await programs.read();
  expect(await programs.dismiss('x')).toBe(true);
  expect(programs.address).toBe('http://127.0.0.1:4000/mcp?session=s1');
});

it('writes what another program needs', async () => {
  const programs = made();
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
