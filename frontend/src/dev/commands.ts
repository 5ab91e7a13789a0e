import type { PilotCommand } from '../shared/api/types';

const command = (example: string, insert: string, means: string): PilotCommand => ({
  say: example,
  example,
  insert,
  means,
  group: 'Pages',
  first: true,
});

/** A few of the pilot's commands. */
export const commands: PilotCommand[] = [
  command('open example.com', 'open ', 'Opens an address; open demo is the built-in shop'),
  command('click 3', 'click ', 'Clicks a number on the page'),
  command('help', 'help', 'Lists all commands'),
];
