import { expect, test } from 'vitest';
import { parsePrices, printPrices } from './prices';

test('parses prices and formats them back', () => {
  const read = parsePrices('openai/gpt-5*=1.25/0.125/10, anthropic/*=3//15/3.75 EUR,odd/a=b=1/2/3 ,');
  expect(read).toEqual([
    { model: 'openai/gpt-5*', input: '1.25', cached: '0.125', output: '10', written: '', currency: 'USD' },
    { model: 'anthropic/*', input: '3', cached: '', output: '15', written: '3.75', currency: 'EUR' },
    { model: 'odd/a=b', input: '1', cached: '2', output: '3', written: '', currency: 'USD' },
  ]);
  const text = printPrices(read);
  expect(text).toBe('openai/gpt-5*=1.25/0.125/10 USD, anthropic/*=3//15/3.75 EUR, odd/a=b=1/2/3 USD');
  expect(parsePrices(text)).toEqual(read);
});

test('skips invalid text and rows without a model', () => {
  expect(parsePrices('')).toEqual([]);
  expect(parsePrices('nonsense, m/m=1/2')).toEqual([]);
  expect(printPrices([{ model: ' ', input: '1', cached: '', output: '2', written: '', currency: '' }])).toBe('');
});
