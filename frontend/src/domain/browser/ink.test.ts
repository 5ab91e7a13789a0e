import { expect, test } from 'vitest';
import { measureInk } from './ink';

test('ink is what differs from the pixels beside it', () => {
  const [width, height] = [40, 30];
  const data = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let y = 10; y < 14; y++) for (let x = 20; x < 30; x++) data.set([0, 0, 0, 255], (y * width + x) * 4);
  const ink = measureInk({ data, width, height });
  expect(ink({ x: 0, y: 0, width: 10, height: 30 })).toBe(0);
  expect(ink({ x: 21, y: 11, width: 8, height: 2 })).toBe(0); // inside the bar there is no edge
  // The bar has 10 pixels at its lower and upper edge, and 4 at its left and right one, two of which are also lower.
  expect(ink({ x: -5, y: -5, width: 100, height: 100 })).toBe(27);
  expect(ink({ x: 15, y: 12, width: 20, height: 5 })).toBe(13);
});
