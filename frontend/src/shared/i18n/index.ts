import { en } from './en';
import type { backups } from './en-backups';
import type { batches } from './en-batches';
import type { bookmarks } from './en-bookmarks';
import type { files } from './en-files';
import type { instructions } from './en-instructions';
import type { links } from './en-links';
import type { welcome } from './en-welcome';
import type { metrics } from './en-metrics';
import type { permission } from './en-permission';
import type { programs } from './en-programs';
import type { schedules } from './en-schedules';
import type { secrets } from './en-secrets';
import type { siteData } from './en-sitedata';
import type { terminal } from './en-terminal';

/** The key of a message. */
export type MessageKey =
  | keyof typeof en
  | keyof typeof backups
  | keyof typeof batches
  | keyof typeof bookmarks
  | keyof typeof files
  | keyof typeof instructions
  | keyof typeof links
  | keyof typeof welcome
  | keyof typeof metrics
  | keyof typeof permission
  | keyof typeof programs
  | keyof typeof schedules
  | keyof typeof secrets
  | keyof typeof siteData
  | keyof typeof terminal;

const messages: Partial<Record<MessageKey, string>> = { ...en };

/** Adds the messages of a panel that is loaded when it opens. The window's own are there from the start. */
export function addMessages(more: Partial<Record<MessageKey, string>>): void {
  Object.assign(messages, more);
}

type Values = Record<string, string | number>;

/**
 * Returns the message of a key. `{name}` is replaced with the value of that name, and `{n|call|calls}` with the
 * singular or plural word for the number `n`.
 */
export function t(key: MessageKey, values: Values = {}): string {
  return (messages[key] ?? key)
    .replace(/\{(\w+)\|([^|}]*)\|([^}]*)\}/g, (_, name: string, one: string, many: string) =>
      Number(values[name]) === 1 ? one : many,
    )
    .replace(/\{(\w+)\}/g, (whole, name: string) => (name in values ? String(values[name]) : whole));
}
