import { expect, test } from 'vitest';
import type { Metrics, ToolHistory, ToolMetrics } from '../../shared/api/types';
import {
  callSeries,
  durationSeries,
  longNames,
  roundSeries,
  shortNames,
  sortTools,
  stacked,
  tokenSums,
} from './series';

const bucket = (start: string, more: object = {}) => ({
  start,
  calls: 0,
  failed: 0,
  asked: 0,
  talk: 0,
  definitions: 0,
  results: 0,
  output: 0,
  ...more,
});
const metrics = (more: object) => ({ step: 'hour', buckets: [], tools: [], turns: [], ...more }) as unknown as Metrics;
const tool = (name: string, more: object = {}) =>
  ({ tool: name, calls: 0, failed: 0, ran: 1, p50_ms: 0, p95_ms: 0, asked: 0, tokens: 0, ...more }) as ToolMetrics;
const names = (tools: ToolMetrics[]) => tools.map((t) => t.tool).join(' ');

test('counts failed calls as part of all calls', () => {
  const m = metrics({
    buckets: [bucket('2026-05-04T10:00:00', { calls: 5, failed: 2 }), bucket('2026-05-04T11:00:00')],
  });
  expect(callSeries(m)).toEqual({ rest: [3, 0], failed: [2, 0] });
});

test('stacks series by adding the ones below', () => {
  expect(
    stacked([
      [1, 2],
      [3, null],
      [5, 6],
    ]),
  ).toEqual([
    [1, 2],
    [4, 2],
    [9, 8],
  ]);
});

test('shows unused numbers of rounds as empty bars', () => {
  const turns = [
    { rounds: 1, models: 2, pilot: 7 },
    { rounds: 4, models: 1, pilot: 0 },
  ];
  expect(roundSeries(metrics({ turns }))).toEqual({ rounds: [1, 2, 3, 4], models: [2, 0, 0, 1], pilot: [7, 0, 0, 0] });
  expect(roundSeries(metrics({})).rounds).toEqual([]);
  expect(roundSeries(metrics({ turns: [{ rounds: 0, models: 1, pilot: 0 }] })).rounds).toEqual([0]);
});

test('counts definitions and results as the tokens of tools', () => {
  const m = metrics({
    buckets: [bucket('', { talk: 1, definitions: 10, results: 100, output: 1000 }), bucket('', { results: 5 })],
  });
  expect(tokenSums(m)).toEqual({ all: 1116, tools: 115 });
});

test('gives a bucket without runs no duration instead of 0', () => {
  const history = {
    buckets: [
      { ran: 0, p50_ms: 0, p95_ms: 0 },
      { ran: 2, p50_ms: 0, p95_ms: 3 },
    ],
  } as ToolHistory;
  expect(durationSeries(history)).toEqual({ median: [null, 0], p95: [null, 3] });
});

test('names buckets by their step', () => {
  const at = (step: string) => ({ step, buckets: [{ start: '2026-05-04T06:00:00' }] });
  expect(['hour', 'six_hours', 'day', 'week', 'month'].map((step) => shortNames(at(step))[0])).toEqual([
    '06:00',
    'Mon',
    '4 May',
    '4 May',
    'May 2026',
  ]);
  expect(longNames(at('hour'))).toEqual(['4 May, 06:00']);
  expect(longNames(at('week'))[0]).toMatch(/Mon.* 4 May 2026/);
});

test('sorts tools by a column, with tools that never ran last by duration', () => {
  const tools = [
    tool('b', { calls: 3, p50_ms: 5 }),
    tool('a', { calls: 3, p50_ms: 9 }),
    tool('c', { calls: 8, ran: 0 }),
  ];
  expect(names(sortTools(tools, 'calls', false))).toBe('c a b');
  expect(names(sortTools(tools, 'calls', true))).toBe('a b c');
  expect(names(sortTools(tools, 'tool', false))).toBe('a b c');
  expect(names(sortTools(tools, 'p50_ms', false))).toBe('a b c');
  expect(names(sortTools(tools, 'p50_ms', true))).toBe('b a c');
});
