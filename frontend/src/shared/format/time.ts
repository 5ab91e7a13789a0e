/** "42 ms", "1.8 s", "3 min 4 s", "3 h 12 min". */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  const s = ms / 1000;
  if (s < 59.95) return `${s.toFixed(1)} s`;
  const whole = Math.round(s);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** Seconds of a running call: "1.8 s", from a minute on like duration. */
export function seconds(ms: number): string {
  return ms < 59_950 ? `${(Math.max(0, ms) / 1000).toFixed(1)} s` : duration(ms);
}

const part = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('en-GB', options);
const clockFormat = part({ hour: '2-digit', minute: '2-digit' });
const dayFormat = part({ weekday: 'short' });
const dateFormat = part({ day: 'numeric', month: 'short' });
const yearFormat = part({ day: 'numeric', month: 'short', year: 'numeric' });
const fullFormat = part({ dateStyle: 'medium', timeStyle: 'medium' });
const stampFormat = part({ hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 });

/** "14:02" today, "Thu" this week, "12 Oct" this year, else with the year; "" for no date. */
export function moment(iso: string, now = new Date()): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return '';
  const days = (startOfDay(now) - startOfDay(at)) / 86_400_000;
  if (days < 0.5) return clockFormat.format(at);
  if (days < 6.5) return dayFormat.format(at);
  return at.getFullYear() === now.getFullYear() ? dateFormat.format(at) : yearFormat.format(at);
}

const startOfDay = (at: Date) => new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();

/** Formats a date as "date", "time" or "ago" (as `moment` does); "" for no date. */
export function stampOf(iso: string, way: string, now = new Date()): string {
  // A date without a time is that day in the local zone, not midnight UTC.
  const at = new Date(/^\d{4}-\d{2}-\d{2}$/.test(iso) ? `${iso}T00:00` : iso);
  if (Number.isNaN(at.getTime())) return '';
  if (way === 'time') return clockFormat.format(at);
  return way === 'date' ? yearFormat.format(at) : moment(at.toISOString(), now);
}

/** The full date and time, for tooltips. */
export function fullStamp(iso: string): string {
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? '' : fullFormat.format(at);
}

/** "14:02:31.907" for the timeline. */
export function stamp(iso: string): string {
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? '' : stampFormat.format(at).replace(',', '.');
}

/** Exact up to 9,999, then "10k". */
export function count(n: number): string {
  return n < 10_000 ? n.toLocaleString('en-US') : `${Math.floor(n / 1000)}k`;
}
