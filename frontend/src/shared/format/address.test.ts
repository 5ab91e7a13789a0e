import { expect, test } from 'vitest';
import { isAddress, toAddress } from './address';

test.each([
  ['example.com', 'example.com'],
  ['example.com/a b?c', 'https://duckduckgo.com/?q=example.com%2Fa%20b%3Fc'],
  ['localhost:8080/x', 'http://localhost:8080/x'],
  ['127.0.0.1:3000', 'http://127.0.0.1:3000'],
  ['[::1]:80', 'http://[::1]:80'],
  ['shop.test', 'http://shop.test'],
  ['demo', 'demo'],
  [' https://a.example/b ', 'https://a.example/b'],
  ['about:blank', 'about:blank'],
  ['lamps', 'https://duckduckgo.com/?q=lamps'],
  ['what is 1.5 & 2', 'https://duckduckgo.com/?q=what%20is%201.5%20%26%202'],
  ['how to: cook', 'https://duckduckgo.com/?q=how%20to%3A%20cook'],
])('%s goes to %s', (typed, address) => {
  expect(toAddress(typed, 'duckduckgo')).toBe(address);
});

test.each(['C++', 'a/b', '.', 'e.g. this', '3.14 pi'])('%s is searched', (typed) => {
  expect(isAddress(typed)).toBe(false);
});
