import { expect, test } from 'vitest';
import { Flood } from './flood';

/** A flood whose clock stands until it is moved, in milliseconds. */
function clocked(burst: number, rate: number, patience: number) {
  let now = 0;
  const flood = new Flood(burst, rate, patience, () => now);
  return {
    take: (times: number) => Array.from({ length: times }, () => flood.take()),
    pass: (ms: number) => (now += ms),
  };
}

test('a burst is heard, what is beyond is dropped, who goes on is cut off', () => {
  const { take } = clocked(3, 1, 2);
  expect(take(6)).toEqual(['hear', 'hear', 'hear', 'drop', 'drop', 'cut']);
  expect(take(1)).toEqual(['cut']);
});

test('time gives room again at its rate, and never more than a burst', () => {
  const { take, pass } = clocked(2, 10, 100);
  expect(take(3)).toEqual(['hear', 'hear', 'drop']);
  pass(100);
  expect(take(2)).toEqual(['hear', 'drop']);
  pass(60_000);
  expect(take(3)).toEqual(['hear', 'hear', 'drop']);
});

test('who keeps to the rate is heard for ever', () => {
  const { take, pass } = clocked(1, 10, 0);
  for (let i = 0; i < 1000; i++) {
    expect(take(1)).toEqual(['hear']);
    pass(101);
  }
});

test('what was beyond the rate is not forgotten with time: patience is for the whole document', () => {
  const { take, pass } = clocked(1, 1, 2);
  for (const verdict of ['drop', 'drop', 'cut']) {
    expect(take(2)).toEqual(['hear', verdict]);
    pass(1000);
  }
});
