// Places the labels of marks over the page.

import type { Ink } from './ink';

export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** An element that needs a label. Its box is in the coordinates of the view. */
export interface LabelTarget {
  id: number;
  role: string;
  usable: boolean;
  box: Rect;
}

type Slot = 'corner' | 'left' | 'above' | 'right' | 'below' | 'withLeader' | 'stack';

/** A placed label. It has several ids when it is the label of several elements. */
export interface Label extends Rect {
  id: number;
  ids: number[];
  slot: Slot;
  /** The line from the label to an element that is not next to it. */
  leader?: { x1: number; y1: number; x2: number; y2: number };
  /** The box of the element when the label was placed. */
  anchor: Rect;
}

interface Dot {
  id: number;
  x: number;
  y: number;
}

export interface LabelPlacement {
  labels: Label[];
  dots: Dot[];
}

export const LABEL_HEIGHT = 15;
/** The height of a label where a larger one would cover text. */
export const SMALL_HEIGHT = 12;
export const LABELS_MAX = 150;
/** Distance between a label with a leader and its element. */
const LEADER_LENGTH = 24;
const GAP = 2;
/** Space for the border and halo of a label. */
const LABEL_MARGIN = 2;

/** What a label may hide of the page, in pixels, before the next position in the order is better. */
const ORDER_COST = 2;
const LEADER_COST = 40;
/** The largest share of its own element that a label may cover. */
const COVER_MAX = 0.25;
/** The area from which an element does not count as hidden by a label. */
const SMALL_ELEMENT = 200 * 60;

const FIELDS = ['textbox', 'searchbox', 'combobox', 'spinbutton', 'slider', 'checkbox', 'radio', 'switch', 'listbox'];
const BUTTONS = ['button', 'menuitem', 'tab', 'option'];

/** Estimates the width of a label with this text. */
const labelWidth = (text: string, small = false) =>
  small ? Math.max(12, text.length * 5.6 + 4) : Math.max(18, text.length * 6.6 + 6);

/** Returns the text of a stacked label: "12–15" for consecutive numbers, else "12+3" for 12 and three others. */
export function stackText(ids: number[]): string {
  const sorted = [...ids].sort((a, b) => a - b);
  const [first = 0] = sorted;
  const last = sorted.at(-1) ?? first;
  return last - first === sorted.length - 1 ? `${first}–${last}` : `${first}+${sorted.length - 1}`;
}

/**
 * Places labels for the elements in view, the element `next` first, then fields, buttons and links. The positions of a
 * label are, in this order: top-left corner (not on a line of text), left, above, right, below, the same with a small
 * label, and 24 px away with a leader line. It gets the free one that hides the fewest pixels of text and edges, or of
 * other elements if `measure` returns nothing; a later position has to hide fewer. Without a free position, it is stacked
 * with a label nearby, or gets a dot if there is room at a top corner, as do elements beyond LABELS_MAX. An element that
 * has not moved keeps its label from `before` if that is still free; stacked labels and that of `next` are placed again.
 */
export function placeLabels(
  elements: LabelTarget[],
  view: { width: number; height: number },
  before: Label[],
  next = 0,
  measure?: () => Ink | undefined,
): LabelPlacement {
  const seen = elements.filter((e) => overlaps(e.box, { x: 0, y: 0, ...view }));
  const sorted = seen
    .map((e, order) => ({ e, order }))
    .sort((a, b) => rank(a.e, next) - rank(b.e, next) || a.order - b.order);
  const chosen = sorted.slice(0, LABELS_MAX).map((s) => s.e);
  const canvas = new Canvas(seen, view, measure);
  const previous = new Map(before.filter((l) => l.slot !== 'stack').map((l) => [l.id, l]));

  const waiting: LabelTarget[] = [];
  for (const element of chosen) {
    const old = previous.get(element.id);
    if (old && element.id !== next && same(old.anchor, element.box) && canvas.free(old, element)) canvas.put(old);
    else waiting.push(element);
  }
  waiting.sort((a, b) => rank(a, next) - rank(b, next));
  const unplaced = waiting.filter((element) => !canvas.placeLabel(element));
  const dots = unplaced.filter((element) => !canvas.stack(element));
  const rest = [...dots, ...sorted.slice(LABELS_MAX).map((s) => s.e)];
  return { labels: canvas.labels, dots: rest.flatMap((element) => canvas.dot(element)) };
}

function rank(element: LabelTarget, next: number): number {
  if (element.id === next) return 0;
  const base = FIELDS.includes(element.role) ? 1 : BUTTONS.includes(element.role) ? 2 : element.role === 'link' ? 3 : 4;
  return element.usable ? base : base + 4;
}

/** The labels placed so far, and the space that is still free. */
class Canvas {
  readonly labels: Label[] = [];
  #ink?: { measured: Ink | undefined };
  readonly #smallElements: LabelTarget[];
  readonly #centers: { id: number; x: number; y: number }[];

  constructor(
    elements: LabelTarget[],
    private readonly view: { width: number; height: number },
    private readonly measure?: () => Ink | undefined,
  ) {
    // Larger elements contain others, so that a label may lie on them.
    this.#smallElements = elements.filter((e) => e.box.width * e.box.height < SMALL_ELEMENT);
    this.#centers = elements.map((e) => ({ id: e.id, x: e.box.x + e.box.width / 2, y: e.box.y + e.box.height / 2 }));
  }

  /** The ink of the page, which is measured when it is first needed. */
  get ink(): Ink | undefined {
    this.#ink ??= { measured: this.measure?.() };
    return this.#ink.measured;
  }

  put(label: Label): void {
    this.labels.push(label);
  }

  /** Reports whether a label fits: in the view, and not over another label, an element's center or its own text. */
  free(rect: Rect, own: LabelTarget, except?: Label): boolean {
    const { width, height } = this.view;
    if (rect.x < 0 || rect.y < 0 || rect.x + rect.width > width || rect.y + rect.height > height) return false;
    if (this.labels.some((label) => label !== except && overlaps(grow(rect, LABEL_MARGIN), label))) return false;
    if (this.#centers.some((c) => inside(c, rect))) return false;
    return !this.#coversText(rect, own);
  }

  /** Reports whether a label would hide too much of its element: a line of text, or more than COVER_MAX. */
  #coversText(rect: Rect, own: LabelTarget): boolean {
    const { x, y } = overlap(rect, own.box);
    if (x <= 0 || y <= 0) return false;
    return x * y > own.box.width * own.box.height * COVER_MAX || (isText(own) && !this.ink);
  }

  /** Puts the element's label at the best free position. Returns false when there is none. */
  placeLabel(element: LabelTarget): boolean {
    const candidates = candidatesOf({ ...element, box: clip(element.box, this.view) }, { ...element.box });
    let best: Label | undefined;
    let least = Infinity;
    for (const [i, candidate] of candidates.entries()) {
      const order = i * ORDER_COST + (candidate.slot === 'withLeader' ? LEADER_COST : 0);
      if (order >= least) break;
      if (!this.free(candidate, element)) continue;
      const cost = order + this.#cost(candidate, element);
      if (cost < least) [best, least] = [candidate, cost];
    }
    if (best) this.put(best);
    return Boolean(best);
  }

  /** Returns how many pixels of the page a label hides: ink, or the boxes of other elements if that is not known. */
  #cost(rect: Rect, own: LabelTarget): number {
    const ink = this.ink;
    if (ink) return ink(rect);
    let hidden = 0;
    for (const { id, box } of this.#smallElements) {
      const { x, y } = overlap(rect, box);
      if (id !== own.id && x > 0 && y > 0) hidden += x * y;
    }
    return hidden / 2;
  }

  /** Adds the element to the nearest label that has room. Returns false when none within 96 px has. */
  stack(element: LabelTarget): boolean {
    const center = (r: Rect) => ({ x: r.x + r.width / 2, y: r.y + r.height / 2 });
    const at = center(element.box);
    const distance = (l: Label) => Math.hypot(center(l).x - at.x, center(l).y - at.y);
    const near = this.labels.filter((l) => distance(l) < 96).sort((a, b) => distance(a) - distance(b));
    for (const label of near) {
      const ids = [...label.ids, element.id].sort((a, b) => a - b);
      const width = labelWidth(stackText(ids));
      for (const x of [label.x, label.x + label.width - width]) {
        const wide = { x, y: label.y, width, height: LABEL_HEIGHT };
        if (!this.#fits(wide, label)) continue;
        Object.assign(label, wide, { ids, slot: 'stack' });
        return true;
      }
    }
    return false;
  }

  dot(element: LabelTarget): Dot[] {
    const { x, y, width } = clip(element.box, this.view);
    for (const at of [
      { x, y },
      { x: x + width, y },
    ]) {
      const rect = { x: at.x - 3, y: at.y - 3, width: 6, height: 6 };
      if (rect.x < 0 || rect.y < 0 || rect.x + 6 > this.view.width || rect.y + 6 > this.view.height) continue;
      if (!this.labels.some((label) => overlaps(grow(rect, LABEL_MARGIN), label))) return [{ id: element.id, ...at }];
    }
    return [];
  }

  #fits(rect: Rect, own: Label): boolean {
    const { width, height } = this.view;
    if (rect.x < 0 || rect.y < 0 || rect.x + rect.width > width || rect.y + rect.height > height) return false;
    if (this.labels.some((label) => label !== own && overlaps(grow(rect, LABEL_MARGIN), label))) return false;
    return !this.#centers.some((c) => inside(c, rect));
  }
}

function candidatesOf(element: LabelTarget, anchor: Rect): Label[] {
  const { box } = element;
  const width = labelWidth(String(element.id));
  const height = LABEL_HEIGHT;
  const right = box.x + box.width;
  const bottom = box.y + box.height;
  const middle = box.y + (box.height - height) / 2;
  const make = (slot: Slot, x: number, y: number, leader?: Label['leader'], small = false): Label => ({
    id: element.id,
    ids: [element.id],
    slot,
    x: Math.round(x),
    y: Math.round(y),
    width: labelWidth(String(element.id), small),
    height: small ? SMALL_HEIGHT : height,
    anchor,
    ...(leader ? { leader } : {}),
  });
  const near = [
    make('left', box.x - width - GAP, middle),
    make('above', box.x, box.y - height - GAP),
    make('right', right + GAP, middle),
    make('below', box.x, bottom + GAP),
  ];
  // A corner label on a line of text would cover its first letters.
  if (!isText(element)) {
    const { x, y } = overhang(box);
    near.unshift(make('corner', Math.max(0, box.x - width + x), Math.max(0, box.y - height + y)));
  }
  const narrow = labelWidth(String(element.id), true);
  for (const [slot, x, y] of [
    ['corner', box.x - narrow / 2, box.y - SMALL_HEIGHT + 3],
    ['above', box.x, box.y - SMALL_HEIGHT + 3],
    ['above', box.x - narrow + 3, box.y - SMALL_HEIGHT + 3],
    ['above', right - narrow, box.y - SMALL_HEIGHT + 3],
    ['left', box.x - narrow, box.y + (box.height - SMALL_HEIGHT) / 2],
    ['right', right, box.y + (box.height - SMALL_HEIGHT) / 2],
    ['below', box.x, bottom - 2],
  ] as const) {
    near.push(make(slot, x, y, undefined, true));
  }
  const cx = box.x + Math.min(box.width / 2, 24);
  const withLeader = [
    make('withLeader', cx - width / 2, box.y - height - LEADER_LENGTH, {
      x1: cx,
      y1: box.y - LEADER_LENGTH,
      x2: cx,
      y2: box.y,
    }),
    make('withLeader', box.x - width - LEADER_LENGTH, middle, {
      x1: box.x - LEADER_LENGTH,
      y1: middle + 7,
      x2: box.x,
      y2: middle + 7,
    }),
    make('withLeader', right + LEADER_LENGTH, middle, {
      x1: right,
      y1: middle + 7,
      x2: right + LEADER_LENGTH,
      y2: middle + 7,
    }),
    make('withLeader', cx - width / 2, bottom + LEADER_LENGTH, {
      x1: cx,
      y1: bottom,
      x2: cx,
      y2: bottom + LEADER_LENGTH,
    }),
  ];
  return [...near, ...withLeader];
}

/** Returns the part of a box that is in view. */
function clip(box: Rect, view: { width: number; height: number }): Rect {
  const x = Math.max(0, box.x);
  const y = Math.max(0, box.y);
  return {
    x,
    y,
    width: Math.min(box.x + box.width, view.width) - x,
    height: Math.min(box.y + box.height, view.height) - y,
  };
}

const isText = (e: LabelTarget) => e.box.height < 24 && e.box.width > 24 && !FIELDS.includes(e.role);

/** Returns how far a corner label overlaps its element. */
const overhang = (box: Rect) => ({ x: Math.min(9, box.width / 5), y: Math.min(7, box.height / 5) });

function overlap(a: Rect, b: Rect): { x: number; y: number } {
  return {
    x: Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x),
    y: Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y),
  };
}

/** Reports whether two rectangles overlap. Touching edges do not count. */
export function overlaps(a: Rect, b: Rect): boolean {
  const shared = overlap(a, b);
  return shared.x > 0 && shared.y > 0;
}

const inside = (p: { x: number; y: number }, r: Rect) =>
  p.x > r.x && p.x < r.x + r.width && p.y > r.y && p.y < r.y + r.height;

const grow = (r: Rect, by: number): Rect => ({
  x: r.x - by,
  y: r.y - by,
  width: r.width + 2 * by,
  height: r.height + 2 * by,
});

const same = (a: Rect, b: Rect) =>
  Math.abs(a.x - b.x) < 0.5 &&
  Math.abs(a.y - b.y) < 0.5 &&
  Math.abs(a.width - b.width) < 0.5 &&
  Math.abs(a.height - b.height) < 0.5;
