import type { Metrics, MetricsRange, Origin, Spending, ToolHistory } from '../shared/api/types';

const spent = (input: number, cached: number, output: number, requests: number, nanos: number) => ({
  ...{ input, cached, output, requests, written: 0 },
  cost: [{ nanos, currency: 'USD' }],
});

export const bill: Spending = {
  conversation: spent(41_200, 28_900, 3_140, 9, 46_300_000),
  turn: spent(12_400, 9_800, 610, 3, 10_600_000),
  budgets: [{ name: 'cost_per_conversation', limit: 500_000_000, spent: 46_300_000, currency: 'USD' }],
};

const HOUR = 3_600_000;
const span = (range: MetricsRange) => {
  const n = 24;
  const from = new Date('2026-10-12T14:00:00').getTime() - (n - 1) * HOUR;
  const starts = Array.from({ length: n }, (_, i) => new Date(from + i * HOUR).toISOString());
  return {
    starts,
    head: { range, zone: 'Europe/Berlin', from: starts[0]!, to: starts[n - 1]!, step: 'hour' as const },
  };
};

/** Returns the invented metrics of one day, whatever the range. */
export function metrics(range: MetricsRange): Metrics {
  const { starts, head } = span(range);
  const buckets = starts.map((start, i) => {
    const calls = i > 8 ? (i * 37) % 41 : 0;
    const busy = calls * 310;
    return {
      start,
      calls,
      failed: calls % 5,
      asked: calls % 3,
      talk: busy,
      definitions: busy * 2,
      results: busy,
      output: calls * 40,
    };
  });
  const tool = (name: string, origin: Origin, calls: number, failed: number, p50: number, p95: number) => ({
    tool: name,
    origin,
    calls,
    failed,
    refused: 0,
    declined: failed % 2,
    stopped: 0,
    asked: failed,
    ran: calls - failed,
    p50_ms: p50,
    p95_ms: p95,
    tokens: calls * 90,
    errors: failed ? [{ type: 'user_error' as const, calls: failed }] : [],
  });
  return {
    ...head,
    buckets,
    tools: [
      tool('click_element', 'baseline', 148, 3, 48, 260),
      tool('annotate_page', 'baseline', 96, 0, 42, 190),
      tool('bash', 'baseline', 31, 4, 900, 4100),
      tool('github__list_issues', 'mcp', 12, 1, 612, 1834),
    ],
    questions: { asked: 8, allowed: 6, denied: 1, lapsed: 1, p50_ms: 4200 },
    turns: [
      { rounds: 1, models: 12, pilot: 30 },
      { rounds: 2, models: 9, pilot: 4 },
      { rounds: 5, models: 3, pilot: 0 },
    ],
    models: [
      {
        model: 'openai/gpt-5',
        turns: 24,
        rounds: 45,
        requests: 49,
        failed: 2,
        retries: 1,
        input: 182_000,
        cached: 40_000,
        written: 0,
        output: 9_100,
        definitions: 61_000,
        results: 52_000,
        cost: [{ nanos: 273_500_000, currency: 'USD' }],
        unpriced: 0,
        first_p50_ms: 840,
        first_p95_ms: 2310,
      },
    ],
    with_calls: { turns: 18, tokens: 171_000 },
    without_calls: { turns: 6, tokens: 20_100 },
    estimated: 0,
  };
}

export function toolHistory(_tool: string, range: MetricsRange): ToolHistory {
  const { starts, head } = span(range);
  return {
    ...head,
    buckets: starts.map((start, i) => ({
      start,
      ran: i % 4,
      failed: i % 7 ? 0 : 1,
      p50_ms: 40 + i,
      p95_ms: 180 + i * 9,
    })),
    failures: [],
  };
}
