import type { Panel } from '../shared/api/types';

// The panels of every scenario.

const panel = (id: string, title: string, icon: string, order: number, more: Partial<Panel> = {}): Panel => ({
  id,
  title,
  icon,
  order,
  builtin: true,
  tools: [],
  usable: true,
  page: { kind: more.builtin === false ? '' : 'builtin', revision: 0 },
  ...more,
});

export const [HOME, PAGE, CALLS] = ['ho' + 'me', 'brow' + 'ser', 'to' + 'ols'] as const;

export const panels: Panel[] = [
  panel(HOME, 'Home', 'home', 1),
  panel(PAGE, 'Browser', 'globe', 2),
  panel(CALLS, 'Tools and activity', 'tools', 3),
  panel('reading-list', 'Reading list', 'note', 50, {
    builtin: false,
    description: 'Pages to read later, stored by its own small program.',
    tools: ['add_page', 'list_pages'],
  }),
  panel('scans', 'Scans', 'file', 51, {
    builtin: false,
    usable: false,
    problems: [
      {
        file: 'manifest.json',
        line: 14,
        column: 19,
        pointer: '/tools/0/endpoint',
        expected: 'a path below /api/scans/',
        found: '"/api/notes/save"',
        nearest: 'POST /api/scans/save',
        fix: '"endpoint": "POST /api/scans/save"',
        text: 'The endpoint leads to another panel; a panel reaches only its own routes.',
        severity: 'error',
        tool: '',
      },
    ],
  }),
];
