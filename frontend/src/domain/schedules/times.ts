import type { ScheduleDraft } from '../../shared/api/types';

type When = ScheduleDraft['when'];

/** The ways in which a person enters the times of a schedule. */
export const KINDS = ['daily', 'weekdays', 'weekly', 'interval', 'once', 'cron', 'after', 'folder', 'webhook'] as const;
export type Kind = (typeof KINDS)[number];

const DAILY = /^(\d{1,2}) (\d{1,2}) \* \* (\*|1-5|[0-6])$/;

/** Returns how a person would enter these times. */
export function kindOf({ cron, every_minutes: every, at, after, folder, webhook }: When): Kind {
  if (webhook) return 'webhook';
  if (folder !== undefined) return 'folder';
  if (after !== undefined) return 'after';
  if (every) return 'interval';
  if (at) return 'once';
  const day = DAILY.exec(cron ?? '')?.[3];
  if (!day) return 'cron';
  return day === '*' ? 'daily' : day === '1-5' ? 'weekdays' : 'weekly';
}

/** Reports whether it runs at times, so that some may be missed. */
export function isTimed(when: When): boolean {
  return !['after', 'folder', 'webhook'].includes(kindOf(when));
}

/** Returns the time of day and the weekday of a daily or weekly cron expression, 08:00 on Monday for others. */
export function timeOfDay(cron = ''): { time: string; day: number } {
  const [, minute = '0', hour = '8', day] = DAILY.exec(cron) ?? [];
  return {
    time: `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`,
    day: Number(day ?? 1) || (day === '0' ? 0 : 1),
  };
}

/** Returns the cron expression for a time of day such as 08:00, each day, on weekdays, or on a weekday. */
export function cronFor(kind: Kind, time: string, day: number): string {
  const [hour = 8, minute = 0] = time.split(':').map(Number);
  return `${minute} ${hour} * * ${kind === 'daily' ? '*' : kind === 'weekdays' ? '1-5' : day}`;
}

/** Returns the times that a new kind begins with. The time of day and the zone stay. */
export function withKind(when: When, kind: Kind, now = new Date()): When {
  const { zone } = when;
  const { time, day } = timeOfDay(when.cron);
  switch (kind) {
    case 'interval':
      return { every_minutes: 60 };
    case 'once':
      return { at: new Date(Math.ceil(now.getTime() / 3_600_000) * 3_600_000).toISOString() };
    case 'after':
      return { after: '', if_changed: true };
    case 'folder':
      return { folder: '', pattern: '' };
    case 'webhook':
      return { webhook: true };
    case 'cron':
      return { cron: when.cron ?? '0 8 * * *', zone };
    default:
      return { cron: cronFor(kind, time, day), zone };
  }
}

/** Returns a time as the value of a datetime-local field, and back. */
export function toLocalField(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
export function fromLocalField(value: string): string {
  const at = new Date(value);
  return Number.isNaN(at.getTime()) ? '' : at.toISOString();
}
