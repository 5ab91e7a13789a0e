import type { ProgramList } from '../shared/api/types';

/** An editor with its own tabs, and a script that shares the window's. */
export const programs: ProgramList = {
  command: '/usr/local/bin/sextant',
  args: ['mcp'],
  url: 'http://127.0.0.1:4117/mcp',
  token: 'scenario',
  session: 'k3x9',
  programs: [
    {
      id: 'p1',
      name: 'editor',
      via: 'stdio',
      since: '2026-11-20T13:47:00Z',
      last: '2026-11-20T14:02:00Z',
      calls: 12,
      tabs: 2,
    },
    {
      id: 'p2',
      name: 'night script',
      via: 'http',
      since: '2026-11-20T14:01:00Z',
      last: '2026-11-20T14:01:00Z',
      calls: 0,
      tabs: 1,
      shares: true,
    },
  ],
};
