import { expect, test } from 'vitest';
import { formatMoney } from './money';

test('shows as many digits as a small amount needs, and two for a large one', () => {
  const usd = (nanos: number) => formatMoney({ nanos, currency: 'USD' });
  expect(usd(1_250_000_000)).toBe('1.25 USD');
  expect(usd(1_234_567_890_000)).toBe('1,234.57 USD');
  expect(usd(46_300_000)).toBe('0.046 USD');
  expect(usd(1_230_000)).toBe('0.0012 USD');
  expect(usd(1_500)).toBe('0.000002 USD');
  expect(usd(400)).toBe('under 0.000001 USD');
  expect(formatMoney({ nanos: 0 })).toBe('0');
});
