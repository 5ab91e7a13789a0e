import type { Rect } from './placement';

/** Returns how many pixels of a rectangle belong to text or another edge of the picture, from 0 to its area. */
export type Ink = (rect: Rect) => number;

/** The difference in brightness, of 255, between neighbouring pixels from which they count as an edge. */
const EDGE = 28;

/** Measures the ink of a picture, given as RGBA bytes in rows of `width`. */
export function measureInk({ data, width, height }: Pick<ImageData, 'data' | 'width' | 'height'>): Ink {
  const bright = new Uint8Array(width * height);
  for (let i = 0, at = 0; i < bright.length; i++, at += 4) {
    bright[i] = (data[at]! * 3 + data[at + 1]! * 6 + data[at + 2]!) / 10;
  }
  // sums[(y + 1) * (width + 1) + x + 1] is the ink of all pixels up to x and y.
  const sums = new Uint32Array((width + 1) * (height + 1));
  for (let y = 0; y < height; y++) {
    let row = 0;
    for (let x = 0; x < width; x++) {
      const at = y * width + x;
      const here = bright[at]!;
      const right = x + 1 < width ? here - bright[at + 1]! : 0;
      const below = y + 1 < height ? here - bright[at + width]! : 0;
      if (right > EDGE || right < -EDGE || below > EDGE || below < -EDGE) row++;
      const above = y * (width + 1) + x + 1;
      sums[above + width + 1] = sums[above]! + row;
    }
  }
  const sum = (x: number, y: number) => sums[y * (width + 1) + x]!;
  const within = (n: number, max: number) => Math.min(max, Math.max(0, Math.round(n)));
  return (rect) => {
    const [left, right] = [within(rect.x, width), within(rect.x + rect.width, width)];
    const [top, bottom] = [within(rect.y, height), within(rect.y + rect.height, height)];
    return sum(right, bottom) - sum(left, bottom) - sum(right, top) + sum(left, top);
  };
}
