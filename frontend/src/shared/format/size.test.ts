import { expect, test } from 'vitest';
import { formatBytes } from './size';

test('formats bytes in the largest unit below 1,000', () => {
  expect([0, 512, 999, 1000, 18_400, 999_500, 2_400_000, 12_000_000, 3e12].map(formatBytes)).toEqual([
    '0 B',
    '512 B',
    '999 B',
    '1.0 kB',
    '18 kB',
    '1.0 MB',
    '2.4 MB',
    '12 MB',
    '3.0 TB',
  ]);
});
