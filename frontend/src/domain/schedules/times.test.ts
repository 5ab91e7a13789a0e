import { describe, expect, it } from 'vitest';
import { cronFor, fromLocalField, kindOf, timeOfDay, toLocalField, withKind } from './times';

describe('times of schedules', () => {
  it.each([
    ['0 8 * * *', 'daily'],
    ['30 17 * * 1-5', 'weekdays'],
    ['5 9 * * 0', 'weekly'],
    ['*/5 * * * *', 'cron'],
    ['0 8 1 * *', 'cron'],
  ])('shows %s as %s', (cron, kind) => {
    expect(kindOf({ cron })).toBe(kind);
    if (kind !== 'cron') {
      const { time, day } = timeOfDay(cron);
      expect(cronFor(kindOf({ cron }), time, day)).toBe(cron);
    }
  });

  it('keeps the time of day and the zone when the kind changes', () => {
    const when = { cron: '30 17 * * *', zone: 'Europe/Berlin' };
    expect(withKind(when, 'weekly')).toEqual({ cron: '30 17 * * 1', zone: 'Europe/Berlin' });
    expect(withKind(when, 'cron')).toEqual(when);
    expect(withKind(when, 'interval')).toEqual({ every_minutes: 60 });
    expect(withKind(when, 'once', new Date('2026-11-28T09:10:00Z'))).toEqual({ at: '2026-11-28T10:00:00.000Z' });
  });

  it('converts times for the field and back', () => {
    const iso = new Date(2027, 2, 1, 8, 30).toISOString();
    expect(toLocalField(iso)).toBe('2027-03-01T08:30');
    expect(fromLocalField('2027-03-01T08:30')).toBe(iso);
    expect(fromLocalField('')).toBe('');
    expect(toLocalField('nothing')).toBe('');
  });
});
