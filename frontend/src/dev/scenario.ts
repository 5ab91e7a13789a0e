import type {
  Approval,
  CreatedTool,
  EventKind,
  Grant,
  PromptAdditions,
  SecretList,
  Snapshot,
  StoredEvent,
  ToolInfo,
} from '../shared/api/types';
import { CALLS, HOME, PAGE, panels } from './panels';

// States of the window for development. All figures and names are invented.

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();

export const approval: Approval = {
  id: 'a1',
  call: 'c5',
  tool: 'type_text',
  args: { annotationId: 12, text: '10437', submit: true },
  question: 'Send your postcode 10437 to shop.example?',
  does: 'Types 10437 into [12] “Delivery postcode”, then Enter',
  target: 'https://shop.example',
  data: '10437',
  why: 'This turn read text from shop.example',
  annotation: 12,
  hash: 'h1',
  choices: [
    { answer: 'once', scope: 'Only this, now.' },
    {
      answer: 'conversation',
      scope: 'Exactly this: Send your postcode 10437 to shop.example, in this conversation. No subdomains.',
    },
    {
      answer: 'always',
      scope: 'Exactly this: Send your postcode 10437 to shop.example, in every conversation. No subdomains.',
    },
    { answer: 'deny', scope: 'It does not run. The assistant continues without it.' },
  ],
  conversation: 't1',
  asked: ago(8),
};

export function snapshot(scenario: string): Snapshot {
  const busy = ['main', 'approval', 'tools'].includes(scenario);
  const absent = scenario === 'error';
  return {
    seq: 10,
    version: '0.1.0',
    panels,
    active_panel: { home: HOME, tools: CALLS, own: 'reading-list', off: 'scans' }[scenario] ?? PAGE,
    activity_bar: { expanded: scenario === 'wide', devices: ['Fit'], device: 'Fit' },
    browser: {
      status: absent ? 'absent' : 'ready',
      error: absent ? 'No chromium, chromium-browser or google-chrome was found in PATH or the usual folders.' : '',
      hint: absent ? 'sudo apt install chromium' : '',
      tabs: absent
        ? []
        : scenario === 'empty' || scenario === 'home'
          ? [{ id: 1, title: '', url: 'about:blank', back: false, forward: false }]
          : [
              {
                id: 1,
                title: 'Desk lamps · alder&flint',
                url: 'https://shop.example/lamps/desk?max=80&stock=1',
                back: true,
                forward: false,
                ...(scenario === 'dialog' ? { dialog: 'Empty the basket?', dialog_type: 'confirm' } : {}),
                ...(scenario === 'crashed' ? { crashed: true } : {}),
              },
              { id: 2, title: 'Delivery times', url: 'https://parcels.example/times', back: false, forward: false },
              {
                id: 3,
                title: 'E14 bulbs, compared',
                url: 'https://bulbs.example/',
                back: false,
                forward: false,
                loading: true,
              },
            ],
      active: absent ? 0 : 1,
      driving: busy ? 'model' : '',
    },
    approvals: busy
      ? [approval, { ...approval, id: 'a2', call: 'c9', asked: ago(2) }].slice(0, scenario === 'main' ? 1 : 2)
      : [],
    conversations: [
      {
        id: 't1',
        title: 'Desk lamp under 80 €',
        status: busy ? 'running' : 'done',
        created: ago(400),
        updated: ago(30),
      },
      { id: 't2', title: 'Scans of March', status: 'interrupted', created: ago(9000), updated: ago(7000) },
      { id: 't3', title: 'Why the build is slow', status: 'done', created: ago(3e5), updated: ago(2.8e5) },
      { id: 't4', title: 'Minutes of the house meeting', status: 'done', created: ago(2e6), updated: ago(1.7e6) },
    ],
    mcp: [
      { name: 'github', state: 'ready', enabled: true, transport: 'stdio', tools: ['github__list_issues'] },
      {
        name: 'postgres',
        state: 'down',
        enabled: true,
        transport: 'stdio',
        tools: [],
        error: 'Stopped, exit 1: the database refused the connection.',
      },
    ],
    models: [
      {
        name: 'pilot',
        provider: 'pilot',
        label: 'Command pilot',
        state: 'ready',
        detail: 'plain commands, no network',
      },
      { name: 'ollama/qwen3:14b', provider: 'ollama', label: 'qwen3:14b', state: 'ready', detail: 'Ollama, 9.3 GB' },
      { name: 'ollama/gemma3:4b', provider: 'ollama', label: 'gemma3:4b', state: 'ready', detail: 'Ollama, 3.3 GB' },
      {
        name: 'lmstudio',
        provider: 'lmstudio',
        label: 'LM Studio',
        state: 'not_running',
        detail: 'not running on port 1234',
      },
    ],
    mode: 'workspace',
    workspace: '~/flat',
    settings: [
      { key: 'mode', value: 'workspace', source: 'default' },
      { key: 'theme', value: new URLSearchParams(location.search).get('theme') ?? 'dark', source: 'window' },
      ...(busy ? [{ key: 'model', value: 'ollama/qwen3:14b', source: 'window' }] : []),
    ],
    banners: [],
    disk: { level: 'enough', folder: '/home/ana/.local/share/sextant', free: 80e9 },
    panels_folder: '~/.local/share/sextant/panels',
  };
}

let seq = 0;
const event = (kind: EventKind, data: unknown, call?: string, back = 60): StoredEvent =>
  ({
    seq: ++seq,
    kind,
    time: ago(back),
    conversation: 't1',
    turn: 'u1',
    ...(call ? { call } : {}),
    data,
  }) as StoredEvent;
const started = (call: string, tool: string, sentence: string, args: unknown = {}, back = 60) =>
  event('call.started', { tool, args, origin: 'baseline', sentence, caller: 'model', timeout_ms: 30000 }, call, back);
const ended = (call: string, tool: string, sentence: string, ms: number, more: object = {}) =>
  event('call.ended', { tool, status: 'done', duration_ms: ms, sentence, ...more }, call);
const message = (id: string, role: string, text: string, more: object = {}) =>
  event('message.added', { id, conversation: 't1', turn: 'u1', role, text, status: 'done', time: ago(50), ...more });

/** Returns the events of a scenario's conversation. */
export function transcript(scenario: string): StoredEvent[] {
  seq = 0;
  const source = { sources: ['https://shop.example'] };
  const list = [
    message(
      'm1',
      'user',
      'Find a desk lamp under 80 € that fits the bulbs I have and gets here by Friday. Put it in the basket, don’t pay.',
    ),
    event('turn.started', { id: 'u1', status: 'running', usage: { input: 0, output: 0 } }),
    started('c1', 'navigate_page', 'Opening shop.example', { url: 'https://shop.example/lamps/desk' }),
    ended('c1', 'navigate_page', 'Opened shop.example', 612),
    started('c2', 'annotate_page', 'Numbering the page'),
    ended('c2', 'annotate_page', 'Numbered the page', 42, {
      preview: ['31 elements · Desk lamps | alder&flint'],
      ...source,
      output: 'Page: Desk lamps | https://shop.example | v12 | tab 1\n[2] link "alder&flint"',
    }),
    started('c3', 'run_steps', 'Filtering the list'),
    ended('c3', 'run_steps', 'Filtered the list', 300, {
      preview: ['clicked [9] “Under 80 €”, [10] “In stock”'],
      ...source,
    }),
    message(
      'm2',
      'assistant',
      'Six lamps cost less than 80 € and are in stock. Five take a bulb you can change: **Fen**, **Moor** and **Bog** use E14, **Heath** and **Tarn** E27. See [15] and [shop terms](https://shop.example/terms).',
    ),
  ];
  if (scenario === 'states') return [...list, ...states()];
  if (scenario === 'files') return [...list, ...changedFiles()];
  list.push(
    started('c4', 'bash', 'Look for bulbs in your notes', { command: 'rg -n "E14|E27" notes/' }, 1.8),
    event(
      'call.output',
      {
        stream: 'stdout',
        text: '$ rg -n "E14|E27" notes/\nnotes/house.md:41: hall, E27, 8 W\nnotes/house.md:58: E14, 4 W, three spare',
      },
      'c4',
    ),
    event('text.delta', {
      message: 'm3',
      text: 'Your notes list three spare E14 bulbs, so Fen at 72 € fits best. To see whether it arrives by Friday, the shop asks for a post',
    }),
  );
  return list;
}

function states(): StoredEvent[] {
  return [
    started('d1', 'click_element', 'Clicking 9'),
    ended('d1', 'click_element', 'Click on 9 was not possible', 3, {
      status: 'failed',
      error: '[9] is gone: the list was redrawn.',
      suggestion: 'Nearest: [27] checkbox “Under 80 €”. Call annotate_page.',
    }),
    started('d2', 'bash', 'delete 3 files in build/'),
    ended('d2', 'bash', 'delete 3 files in build/', 0, {
      status: 'declined',
      reason: 'keep the logs, delete only *.tmp',
    }),
    started('d3', 'read_file', 'read ~/.ssh/config'),
    ended('d3', 'read_file', 'read ~/.ssh/config', 0, { status: 'refused', reason: 'outside the allowed folders' }),
    started('d4', 'http_request', 'Posting to api.example'),
    ended('d4', 'http_request', 'Posting to api.example', 0, { status: 'interrupted' }),
    started('d5', 'bash', 'Counting words'),
    ended('d5', 'bash', 'Counting words', 4100, { status: 'stopped', preview: ['12 lines of output'] }),
    event('approval.asked', approval, 'd5'),
    event('approval.answered', { id: 'a1', call: 'd5', answer: 'once' }, 'd5'),
    ...[1, 2, 3, 4, 5, 6].flatMap((n) => [
      started(`e${n}`, 'read_file', `Reading ${n}.md`),
      ended(`e${n}`, 'read_file', `Read ${n}.md`, 4 * n),
    ]),
    message(
      'm4',
      'assistant',
      'Done so far:\n\n1. one\n2. two\n\n```\nlet x = 1\n```\n\n| lamp | price |\n|---|---|\n| Fen | 72 € |',
    ),
    event('turn.ended', {
      id: 'u1',
      status: 'failed',
      error: 'The model did not answer: connection refused at 127.0.0.1:11434.',
      suggestion: 'Start Ollama, or choose another model.',
      usage: { input: 18000, output: 400 },
    }),
  ];
}

const tool = (
  name: string,
  origin: ToolInfo['origin'],
  description: string,
  more: Partial<ToolInfo> = {},
): ToolInfo => ({
  name,
  origin,
  description,
  parameters: {
    type: 'object',
    properties: { url: { type: 'string', description: 'Where to go' } },
    required: ['url'],
  },
  hints: { read_only: true },
  tokens: 40 + name.length * 3,
  active: true,
  effective: { permission: '', verdict: 'allow', rule: 'It only reads.' },
  ...more,
});

export const tools: ToolInfo[] = [
  tool('navigate_page', 'baseline', 'Opens an address or goes back, forward or reloads.'),
  tool('annotate_page', 'baseline', 'Numbers what can be acted on.'),
  tool('click_element', 'baseline', 'Clicks a numbered element.', { hints: {} }),
  tool('type_text', 'baseline', 'Types into a numbered field.', { hints: { confirm: true } }),
  tool('bash', 'baseline', 'Runs a command.', { hints: { destructive: true } }),
  tool('add_page', 'panel', 'Keeps a page to read later.', {
    owner: 'reading-list',
    hints: {},
    parameters: {
      type: 'object',
      properties: {
        url: { type: 'string', description: 'Address of the page', examples: ['https://example.com'] },
        minutes: { type: 'integer', description: 'How long it takes to read' },
        kind: { type: 'string', enum: ['article', 'manual'] },
        read: { type: 'boolean' },
      },
      required: ['url'],
    },
  }),
  tool('list_pages', 'panel', 'Lists the saved pages.', {
    owner: 'reading-list',
    parameters: { type: 'object', properties: {} },
  }),
  tool('github__list_issues', 'mcp', 'Lists issues.', { owner: 'github', hints: { open_world: true } }),
];

/** One grant of each kind. */
export const grants: Grant[] = [
  {
    id: 'g1',
    scope: 'always',
    tool: 'type_text',
    text: 'type_text on https://shop.example only, value 10437. No subdomains.',
    created: '2026-10-12T09:02:00Z',
    uses: 61,
    used: '2026-11-20T14:02:00Z',
  },
  {
    id: 'g2',
    scope: 'conversation',
    tool: 'write_file',
    text: 'write_file to ~/flat/scans/march.pdf',
    title: 'Scans of March',
    created: '2026-11-20T13:47:00Z',
    uses: 0,
  },
  { id: 'g3', scope: 'never', tool: 'bash', text: 'bash: git push --force', created: '2026-11-03T08:00:00Z', uses: 4 },
];

/** Instructions everywhere, in the folder of the scenario and in another one, and two prompt notes. */
export const promptAdditions: PromptAdditions = {
  folder: '/home/user/shop',
  instructions: [
    { folder: '', text: 'Answer in Spanish.' },
    { folder: '/home/user/shop', text: 'Prices are in cents.' },
    { folder: '/srv/site', text: 'Never change the theme.' },
  ],
  notes: ['Show prices with two decimals.', 'Open links in a new tab.'],
  max_text: 8000,
  max_note: 1000,
};

/** A secret for requests and one for a sign-in. */
export const secrets: SecretList = {
  secrets: [
    {
      name: 'github',
      host: 'api.github.com',
      places: ['header'],
      created: '2026-11-02T08:00:00Z',
      used: '2026-11-12T09:02:00Z',
      uses: 4,
      kept: 'file',
    },
    { name: 'shop', host: 'shop.example', places: ['field'], created: '2026-11-03T08:00:00Z', uses: 0, kept: 'file' },
  ],
  where: { kept: 'file', path: '/home/ana/.local/share/sextant/secrets/values.json', why: 'no keychain answers' },
};

/** Created tools, one of them disabled. */
export const created: CreatedTool[] = [
  {
    name: 'count_lines',
    description: 'Counts the lines of a file.',
    parameters: { type: 'object', properties: { path: { type: 'string' } } },
    body: "const f = await tools.read_file({path: args.path});\nreturn f.content.split('\\n').length;",
    version: 2,
    created: '2026-11-12T09:02:00Z',
    uses: ['read_file'],
  },
  {
    name: 'send_report',
    description: 'Sends the report of a week.',
    parameters: { type: 'object' },
    body: "const f = await tools.read_file({path: 'report.md'});\nreturn await tools.http_request({url: 'https://api.example/report', method: 'POST', body: f.content});",
    version: 1,
    created: '2026-11-20T14:02:00Z',
    asleep: true,
    outside: ['https://shop.example'],
    uses: ['http_request', 'read_file'],
  },
];

/** Returns the rest of the turn in the scenario "files": calls that change files, and the end. */
function changedFiles(): StoredEvent[] {
  return [
    started('c4', 'edit_file', 'Editing notes/house.md', { path: 'notes/house.md', old: 'E27', new: 'E14' }),
    ended('c4', 'edit_file', 'Edited notes/house.md: 1 place replaced', 6, { changed: ['/home/ana/notes/house.md'] }),
    started('c5', 'write_file', 'Writing 2 lines to the new file notes/lamps.md', { path: 'notes/lamps.md' }),
    ended('c5', 'write_file', 'Wrote 2 lines to notes/lamps.md', 5, { changed: ['/home/ana/notes/lamps.md'] }),
    message('m3', 'assistant', 'Both notes are up to date.'),
    event('turn.ended', { id: 'u1', status: 'done', usage: { input: 900, output: 80 } }),
  ];
}
