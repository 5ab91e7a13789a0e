import { t, type MessageKey } from '../../shared/i18n';

/** A command of the pilot: what to type, and what it does. */
export interface PilotCommand {
  example: string;
  means: string;
  /** What a completion writes; it ends with a space where words have to follow. */
  insert: string;
}

// Example, meaning, what a completion writes, and the tool it cannot do without.
const LIST: [string, MessageKey, string, string?][] = [
  ['open demo', 'pilot.demo', 'open demo'],
  ['open example.com', 'pilot.open', 'open '],
  ['click 3', 'pilot.click', 'click '],
  ['type hello into 4', 'pilot.type', 'type '],
  ['annotate', 'pilot.annotate', 'annotate'],
  ['annotate save', 'pilot.annotate.query', 'annotate '],
  ['select Blue in 5', 'pilot.select', 'select '],
  ['press Enter', 'pilot.press', 'press '],
  ['scroll down', 'pilot.scroll', 'scroll down'],
  ['read page', 'pilot.content', 'read page'],
  ['screenshot', 'pilot.screenshot', 'screenshot'],
  ['wait for Basket', 'pilot.wait', 'wait for '],
  ['hover 3', 'pilot.hover', 'hover '],
  ['back', 'pilot.back', 'back'],
  ['forward', 'pilot.forward', 'forward'],
  ['reload', 'pilot.reload', 'reload'],
  ['tabs', 'pilot.tabs', 'tabs'],
  ['new tab example.com', 'pilot.tab', 'new tab '],
  ['read notes.txt', 'pilot.read', 'read ', 'read_file'],
  ['tools', 'pilot.tools', 'tools'],
  ['/tool {json}', 'pilot.tool', '/'],
  ['help', 'pilot.help', 'help'],
];

/** The commands the composer and the home panel offer, of those that can work; "help" lists all. */
export function pilotCommands(tools: string[]): PilotCommand[] {
  return LIST.filter(([, , , needs]) => !needs || tools.includes(needs)).map(([example, key, insert]) => ({
    example,
    means: t(key),
    insert,
  }));
}

/** Commands that begin like the draft, at most `max`; none once the command is written out. */
export function completions(draft: string, tools: string[], max = 6): PilotCommand[] {
  const typed = draft.trimStart().toLowerCase();
  if (!typed || draft.includes('\n')) return [];
  if (typed.startsWith('/')) {
    const name = typed.slice(1);
    if (/\s/.test(name)) return [];
    return tools
      .filter((tool) => tool.startsWith(name) && tool !== name)
      .slice(0, max)
      .map((tool) => ({ example: `/${tool}`, means: '', insert: `/${tool} {}` }));
  }
  return pilotCommands(tools)
    .filter(
      (command) => command.insert.toLowerCase().startsWith(typed) && command.insert.trim().toLowerCase() !== typed,
    )
    .slice(0, max);
}
