import { describe, expect, it } from 'vitest';
import { LABEL_HEIGHT, LABELS_MAX, SMALL_HEIGHT, overlaps, placeLabels, stackText } from './placement';
import type { Label, LabelTarget, Rect } from './placement';

const view = { width: 900, height: 700 };
const ROLES = ['link', 'button', 'textbox', 'checkbox', 'img'];

/** Returns a random generator with a seed, so that a failure can be repeated. */
function random(seed: number) {
  let s = seed;
  return (max: number) => {
    s = (s * 1_103_515_245 + 12_345) & 0x7fffffff;
    return s % max;
  };
}
function page(seed: number, n: number): LabelTarget[] {
  const r = random(seed);
  return Array.from({ length: n }, (_, i) => ({
    id: i + 1 + r(3),
    role: ROLES[r(ROLES.length)] ?? 'link',
    usable: r(5) > 0,
    box: { x: r(940) - 20, y: r(760) - 30, width: 8 + r(160), height: 8 + r(60) },
  })).filter((e, i, all) => all.findIndex((o) => o.id === e.id) === i);
}
const element = (id: number, x: number, y: number, width: number, height: number, role = 'button'): LabelTarget => ({
  id,
  role,
  usable: true,
  box: { x, y, width, height },
});

/** Returns descriptions of the faults of a placement. */
function faults(elements: LabelTarget[], labels: Label[]): string[] {
  const found: string[] = [];
  labels.forEach((label, i) => {
    if (labels.slice(i + 1).some((other) => overlaps(label, other))) found.push(`${label.id} lies on another`);
    if (label.x < 0 || label.y < 0 || label.x + label.width > view.width || label.y + label.height > view.height)
      found.push(`${label.id} is outside`);
    const hit = elements.some(({ box }) => {
      const x = box.x + box.width / 2;
      const y = box.y + box.height / 2;
      return x > label.x && x < label.x + label.width && y > label.y && y < label.y + label.height;
    });
    if (hit) found.push(`${label.id} covers a center`);
  });
  return found;
}

describe('number labels on a page', () => {
  it('never cover each other or the center of an element, and stay inside the view', () => {
    for (let seed = 1; seed <= 60; seed++) {
      const elements = page(seed, 20 + seed * 4);
      expect(faults(elements, placeLabels(elements, view, []).labels), `seed ${seed}`).toEqual([]);
    }
  });
  it('put every element in exactly one label or dot, unless there is no room', () => {
    for (let seed = 1; seed <= 30; seed++) {
      const elements = page(seed, 80);
      const { labels, dots } = placeLabels(elements, view, []);
      const placed = [...labels.flatMap((l) => l.ids), ...dots.map((d) => d.id)];
      expect(new Set(placed).size, `seed ${seed}`).toBe(placed.length);
      for (const id of placed) expect(elements.some((e) => e.id === id)).toBe(true);
    }
  });
  it('are the same for the same page', () => {
    expect(placeLabels(page(7, 90), view, [])).toEqual(placeLabels(page(7, 90), view, []));
  });
  it('stay in place while their element does not move', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const elements = page(seed, 40);
      const first = placeLabels(elements, view, []).labels.filter((l) => l.slot !== 'stack');
      const second = placeLabels([...elements].reverse(), view, first).labels;
      for (const label of first) {
        const now = second.find((l) => l.id === label.id && l.ids.length === 1);
        if (now) expect([now.x, now.y], `seed ${seed}, ${label.id}`).toEqual([label.x, label.y]);
      }
    }
  });
  it('are at most 150, and dots beyond that', () => {
    const many = Array.from({ length: 400 }, (_, i) => element(i + 1, (i % 20) * 45, Math.floor(i / 20) * 35, 20, 16));
    const { labels, dots } = placeLabels(many, view, []);
    expect(labels.flatMap((l) => l.ids).length).toBeLessThanOrEqual(LABELS_MAX);
    expect(dots.length).toBeGreaterThan(0);
  });
  it('are at the corner of a box and beside a line of text', () => {
    expect(placeLabels([element(1, 100, 100, 120, 40)], view, []).labels[0]?.slot).toBe('corner');
    expect(placeLabels([element(1, 100, 100, 60, 18, 'link')], view, []).labels[0]?.slot).toBe('left');
    expect(placeLabels([element(1, 0, 100, 60, 18, 'link')], view, []).labels[0]?.slot).toBe('above');
  });
  it('are at the visible corner of an element that is cut off', () => {
    const { labels } = placeLabels([element(1, 100, -200, 300, 400, 'img')], view, []);
    expect(labels[0]?.y).toBe(0);
  });
  it('give the next target the best position', () => {
    const crowd = [
      element(1, 100, 100, 18, 16, 'link'),
      element(2, 101, 101, 18, 16, 'link'),
      element(3, 102, 102, 18, 16, 'link'),
    ];
    expect(placeLabels(crowd, view, [], 3).labels[0]?.id).toBe(3);
  });
  it('prefer fields to links when there is not enough room', () => {
    const many: LabelTarget[] = Array.from({ length: 200 }, (_, i) =>
      element(i + 1, (i % 20) * 45, Math.floor(i / 20) * 60, 40, 20, 'link'),
    );
    many.push(element(999, 700, 640, 80, 30, 'textbox'));
    expect(placeLabels(many, view, []).labels.some((l: Label) => l.ids.includes(999))).toBe(true);
  });
  it('do not cover other buttons of a row, or the text beside a link', () => {
    const row = Array.from({ length: 6 }, (_, i) => element(i + 1, 100 + i * 54, 100, 50, 22));
    for (const label of placeLabels(row, view, []).labels) {
      for (const { id, box } of row)
        expect(id !== label.id && overlaps(label, box), `${label.id} on ${id}`).toBe(false);
    }
    // A paragraph: ink everywhere but in the 8 px between its lines.
    const line = (y: number) => y >= 100 && y < 220 && (y - 100) % 24 < 16;
    const ink = ({ y, height, width }: Rect) =>
      Array.from({ length: height }, (_, i) => (line(y + i) ? width : 0)).reduce((sum, n) => sum + n, 0);
    const [label] = placeLabels([element(7, 300, 148, 60, 18, 'link')], view, [], 0, () => ink).labels;
    expect(label!.height).toBe(SMALL_HEIGHT);
    expect(ink(label!)).toBeLessThan((label!.width * label!.height) / 2);
  });
  it('are 15 px high where there is room', () => {
    for (const label of placeLabels(page(3, 20), view, []).labels) {
      expect([LABEL_HEIGHT, SMALL_HEIGHT]).toContain(label.height);
    }
    expect(placeLabels([element(1, 100, 100, 120, 40)], view, []).labels[0]?.height).toBe(LABEL_HEIGHT);
  });
  it('name a stack by its range or its size', () => {
    expect(stackText([12, 13, 14, 15])).toBe('12–15');
    expect(stackText([31, 12, 40])).toBe('12+2');
  });
});
