import { expect, it } from 'vitest';
import { sentenceCase } from './words';

it.each([
  ['the Meter panel cannot be reached', 'The Meter panel cannot be reached'],
  ['sextant', 'Sextant'],
  ['reading_list_add is off', 'reading_list_add is off'],
  ['manifest.json 14:19: found', 'manifest.json 14:19: found'],
  ['Already', 'Already'],
  ['', ''],
])('%j in sentence case', (text, shown) => expect(sentenceCase(text)).toBe(shown));
