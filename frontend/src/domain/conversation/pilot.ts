import { t, type MessageKey } from '../../shared/i18n';

/** A command of the pilot: what to type, and what it does. */
export interface PilotCommand {
  example: string;
  means: string;
  /** What a completion writes; it ends with a space where words have to follow. */
  insert: string;
}

const LIST: [string, MessageKey, string][] = [
  ['open example.com', 'pilot.open', 'open '],
  ['open demo', 'pilot.demo', 'open demo'],
  ['click 3', 'pilot.click', 'click '],
  ['type hello into 4', 'pilot.type', 'type '],
  ['annotate', 'pilot.annotate', 'annotate'],
  ['annotate save', 'pilot.annotate.query', 'annotate '],
  ['scroll down', 'pilot.scroll', 'scroll down'],
  ['press Enter', 'pilot.press', 'press '],
  ['select Blue in 5', 'pilot.select', 'select '],
  ['back', 'pilot.back', 'back'],
  ['forward', 'pilot.forward', 'forward'],
  ['reload', 'pilot.reload', 'reload'],
  ['content', 'pilot.content', 'content'],
  ['screenshot', 'pilot.screenshot', 'screenshot'],
  ['tabs', 'pilot.tabs', 'tabs'],
  ['read notes.txt', 'pilot.read', 'read '],
  ['list downloads', 'pilot.list', 'list '],
  ['/tool {json}', 'pilot.tool', '/'],
  ['help', 'pilot.help', 'help'],
];

/** The commands the composer and the home panel offer; "help" lists all. */
export function pilotCommands(): PilotCommand[] {
  return LIST.map(([example, key, insert]) => ({ example, means: t(key), insert }));
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
  return pilotCommands()
    .filter(
      (command) => command.insert.toLowerCase().startsWith(typed) && command.insert.trim().toLowerCase() !== typed,
    )
    .slice(0, max);
}
