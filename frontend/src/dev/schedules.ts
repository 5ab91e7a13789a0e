import type { ListedSchedule, ScheduledRun } from '../shared/api/types';

const card = {
  tools: ['navigate_page', 'type_text'],
  hosts: ['demo.sextant.test'],
  page_effects: [],
  files: [],
  commands: [],
  secrets: [],
  acts: 3,
};

/** A run of the demo shop's recipe. */
export const scheduledRun: ScheduledRun = {
  id: 'r_1',
  schedule: 's_1',
  slot: '2026-09-20T06:00:00Z',
  status: 'done',
  text: 'Price: 129',
  conversation: 'c_1',
  used: card,
  bill: { input: 0, output: 0, requests: 0, cost: [] },
  queued: '2026-09-20T06:00:00Z',
  started: '2026-09-20T06:00:00Z',
  ended: '2026-09-20T06:00:03Z',
};

/** A schedule of the demo shop's recipe. */
export const schedules: [ListedSchedule] = [
  {
    schedule: {
      id: 's_1',
      name: 'Prices every morning',
      task: { recipe: 'order-lamp', values: { search: 'Fen' } },
      when: { cron: '0 8 * * *', zone: 'Europe/Berlin' },
      missed: { do: 'once', max_age_minutes: 1440 },
      card,
      digest: 'd',
      created: '2026-09-01T06:00:00Z',
      last_slot: '2026-09-20T06:00:00Z',
    },
    plan: { digest: 'd', card, sentence: 'Run the recipe order-lamp with search Fen' },
    when: 'Every day at 08:00 (Europe/Berlin)',
    next: '2026-09-21T06:00:00Z',
    last: scheduledRun,
  },
];
