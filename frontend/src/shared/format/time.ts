/** Formats a duration: "42 ms", "1.8 s", "3 min 4 s", "3 h 12 min". */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  const s = ms / 1000;
  if (s < 59.95) return `${s.toFixed(1)} s`;
  const whole = Math.round(s);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** Formats the duration of a running call in seconds, "0.3 s". From a minute on it is like any other duration. */
export function formatSeconds(ms: number): string {
  return ms < 59_950 ? `${(Math.max(0, ms) / 1000).toFixed(1)} s` : formatDuration(ms);
}

const part = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('en-GB', options);
const clockFormat = part({ hour: '2-digit', minute: '2-digit' });
const dayFormat = part({ weekday: 'short' });
const dateFormat = part({ day: 'numeric', month: 'short' });
const yearFormat = part({ day: 'numeric', month: 'short', year: 'numeric' });
const fullFormat = part({ dateStyle: 'medium', timeStyle: 'medium' });
const stampFormat = part({ hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 });

/** Formats a time by its age: "14:02" today, "Thu" in the last six days, "12 Oct", "12 Oct 2025". Not a date: "". */
export function formatByAge(iso: string, now = new Date()): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return '';
  const days = (startOfDay(now) - startOfDay(at)) / 86_400_000;
  if (days < 0.5) return clockFormat.format(at);
  if (days < 6.5) return dayFormat.format(at);
  return at.getFullYear() === now.getFullYear() ? dateFormat.format(at) : yearFormat.format(at);
}

/**
 * Formats a time near today, past or future: "14:02" today, "tomorrow 08:00", "Thu 08:00" within six days,
 * "12 Oct 08:00".
 */
export function formatSoon(iso: string, now = new Date()): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return '';
  const days = Math.round((startOfDay(at) - startOfDay(now)) / 86_400_000);
  const clock = clockFormat.format(at);
  if (days === 0) return clock;
  if (days === 1) return `tomorrow ${clock}`;
  if (Math.abs(days) <= 6) return `${dayFormat.format(at)} ${clock}`;
  const date = at.getFullYear() === now.getFullYear() ? dateFormat.format(at) : yearFormat.format(at);
  return `${date} ${clock}`;
}

const startOfDay = (at: Date) => new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();

/** Formats a time as its "date", its "time" of day, or by its age ("ago"). Returns "" if it is not a date. */
export function formatDate(iso: string, format: string, now = new Date()): string {
  // A date without a time means that day in the local time zone, not midnight UTC.
  const at = new Date(/^\d{4}-\d{2}-\d{2}$/.test(iso) ? `${iso}T00:00` : iso);
  if (Number.isNaN(at.getTime())) return '';
  if (format === 'time') return clockFormat.format(at);
  return format === 'date' ? yearFormat.format(at) : formatByAge(at.toISOString(), now);
}

/** Formats a time as its full date and time, for tooltips. Returns "" if it is not a date. */
export function formatDateTime(iso: string): string {
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? '' : fullFormat.format(at);
}

/** Formats a time of day with milliseconds: "14:02:31.907". Returns "" if it is not a date. */
export function formatTimestamp(iso: string): string {
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? '' : stampFormat.format(at).replace(',', '.');
}

/** Formats a number: exactly up to "9,999", then in thousands ("10k"). */
export function formatCount(n: number): string {
  return n < 10_000 ? n.toLocaleString('en-US') : `${Math.floor(n / 1000)}k`;
}
