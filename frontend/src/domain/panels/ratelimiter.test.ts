import { expect, test } from 'vitest';
import { RateLimiter } from './ratelimiter';

/** Returns a rate limiter and a function that advances its clock by milliseconds. */
function clocked(burst: number, rate: number, patience: number) {
  let now = 0;
  const limiter = new RateLimiter(burst, rate, patience, () => now);
  return {
    take: (times: number) => Array.from({ length: times }, () => limiter.take()),
    pass: (ms: number) => (now += ms),
  };
}

test('accepts a burst, drops the excess, then closes', () => {
  const { take } = clocked(3, 1, 2);
  expect(take(6)).toEqual(['accept', 'accept', 'accept', 'drop', 'drop', 'close']);
  expect(take(1)).toEqual(['close']);
});

test('refills at the rate, up to a burst', () => {
  const { take, pass } = clocked(2, 10, 100);
  expect(take(3)).toEqual(['accept', 'accept', 'drop']);
  pass(100);
  expect(take(2)).toEqual(['accept', 'drop']);
  pass(60_000);
  expect(take(3)).toEqual(['accept', 'accept', 'drop']);
});

test('accepts a sender below the rate', () => {
  const { take, pass } = clocked(1, 10, 0);
  for (let i = 0; i < 1000; i++) {
    expect(take(1)).toEqual(['accept']);
    pass(101);
  }
});

test('counts excess messages for the whole document', () => {
  const { take, pass } = clocked(1, 1, 2);
  for (const verdict of ['drop', 'drop', 'close']) {
    expect(take(2)).toEqual(['accept', verdict]);
    pass(1000);
  }
});
