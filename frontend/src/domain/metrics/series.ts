import type { Metrics, ToolHistory, ToolMetrics } from '../../shared/api/types';

/** The buckets of a range, and the length of each ("hour", "six_hours", "day", "month"). */
interface Steps {
  step: string;
  buckets: { start: string }[];
}

const form = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('en-GB', options);
const hour = form({ hour: '2-digit', minute: '2-digit' });
const day = form({ day: 'numeric', month: 'short' });
const dayHour = form({ weekday: 'short', hour: '2-digit', minute: '2-digit' });
const month = form({ month: 'short', year: 'numeric' });
const longDay = form({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' });

/** Returns a short label for each bucket, for the axis of a plot: "14:00", "Mon", "4 May", "May 2026". */
export function shortNames({ step, buckets }: Steps): string[] {
  const of = { hour, six_hours: form({ weekday: 'short' }), month }[step] ?? day;
  return buckets.map(({ start }) => of.format(new Date(start)));
}

/** Returns a full label for each bucket, such as "4 May, 14:00". */
export function longNames({ step, buckets }: Steps): string[] {
  return buckets.map(({ start }) => {
    const at = new Date(start);
    if (step === 'hour') return `${day.format(at)}, ${hour.format(at)}`;
    if (step === 'six_hours') return dayHour.format(at);
    return (step === 'month' ? month : longDay).format(at);
  });
}

/** Returns the number of failed and of all other calls in each bucket. */
export function callSeries(metrics: Metrics): { rest: number[]; failed: number[] } {
  return {
    rest: metrics.buckets.map((bucket) => bucket.calls - bucket.failed),
    failed: metrics.buckets.map((bucket) => bucket.failed),
  };
}

/** Returns how many turns of models and of the pilot had each number of rounds, without gaps in the numbers. */
export function roundSeries(metrics: Metrics): { rounds: number[]; models: number[]; pilot: number[] } {
  const most = Math.max(0, ...metrics.turns.map((turn) => turn.rounds));
  const first = metrics.turns.some((turn) => turn.rounds === 0) ? 0 : 1;
  const rounds = Array.from({ length: most - first + (most || !first ? 1 : 0) }, (_, i) => first + i);
  const of = (n: number) => metrics.turns.find((turn) => turn.rounds === n);
  return {
    rounds,
    models: rounds.map((n) => of(n)?.models ?? 0),
    pilot: rounds.map((n) => of(n)?.pilot ?? 0),
  };
}

/** Returns the tokens of all prompts and answers, and how many of them describe tools or are tool results. */
export function tokenSums(metrics: Metrics): { all: number; tools: number } {
  let all = 0;
  let tools = 0;
  for (const bucket of metrics.buckets) {
    all += bucket.talk + bucket.definitions + bucket.results + bucket.output;
    tools += bucket.definitions + bucket.results;
  }
  return { all, tools };
}

/** Returns a tool's median and 95th-percentile durations in milliseconds by bucket, null where it did not run. */
export function durationSeries(history: ToolHistory): { median: (number | null)[]; p95: (number | null)[] } {
  return {
    median: history.buckets.map((bucket) => (bucket.ran ? bucket.p50_ms : null)),
    p95: history.buckets.map((bucket) => (bucket.ran ? bucket.p95_ms : null)),
  };
}

/** The columns by which tools are sorted. */
export const COLUMNS = ['tool', 'calls', 'failed', 'p50_ms', 'p95_ms', 'asked', 'tokens'] as const;
export type Column = (typeof COLUMNS)[number];

/** Sorts by a column, numbers in descending order. By duration, tools that never ran come last in either order. */
export function sortTools(tools: ToolMetrics[], column: Column, reversed: boolean): ToolMetrics[] {
  const without = (tool: ToolMetrics) => (column === 'p50_ms' || column === 'p95_ms') && !tool.ran;
  return [...tools].sort((a, b) => {
    if (without(a) !== without(b)) return without(a) ? 1 : -1;
    const by = column === 'tool' ? compare(a.tool, b.tool) : b[column] - a[column];
    return (reversed ? -by : by) || compare(a.tool, b.tool);
  });
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns the cumulative sums over the series, for a stacked plot. */
export function stacked(series: (number | null)[][]): (number | null)[][] {
  const sums: number[] = [];
  return series.map((values) => values.map((value, i) => (sums[i] = (sums[i] ?? 0) + (value ?? 0))));
}
