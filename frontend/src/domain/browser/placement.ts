// Where the numbers stand over the picture (DESIGN 4). Pure geometry: boxes in, places out.

export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** What placement needs of an element; its box in the coordinates of the view. */
export interface Markable {
  id: number;
  role: string;
  usable: boolean;
  box: Rect;
}

export type Slot = 'corner' | 'left' | 'above' | 'right' | 'below' | 'led' | 'stack';

/** A label with its place. A stack stands for several ids, the first of them first. */
export interface Label extends Rect {
  id: number;
  ids: number[];
  slot: Slot;
  /** Line from the label to its element, for those put further away. */
  leader?: { x1: number; y1: number; x2: number; y2: number };
  /** The box this place was found for. */
  anchor: Rect;
}

export interface Dot {
  id: number;
  x: number;
  y: number;
}

export interface Placement {
  labels: Label[];
  dots: Dot[];
}

export const LABEL_HEIGHT = 15;
export const LABELS_MAX = 150;
/** Distance of a label that is put further away, to its element. */
const LEAD = 24;
const GAP = 2;
/** The dark edge and the halo of a label. */
const RIM = 2;

const FIELDS = ['textbox', 'searchbox', 'combobox', 'spinbutton', 'slider', 'checkbox', 'radio', 'switch', 'listbox'];
const BUTTONS = ['button', 'menuitem', 'tab', 'option'];

/** Width of a label of so many characters in the marks' type. */
export const labelWidth = (text: string) => Math.max(18, text.length * 6.6 + 6);

/** Text of a stack: "12–15" for neighbours, else the first and how many more. */
export function stackText(ids: number[]): string {
  const sorted = [...ids].sort((a, b) => a - b);
  const [first = 0] = sorted;
  const last = sorted.at(-1) ?? first;
  return last - first === sorted.length - 1 ? `${first}–${last}` : `${first}+${sorted.length - 1}`;
}

/**
 * Finds a place for every label: by importance, each at the first free of outer top-left corner,
 * left, above, right, below, then 24 px further with a leader, then in a stack. An element that
 * stands where it stood keeps its place. Beyond LABELS_MAX elements get dots.
 */
export function place(
  elements: Markable[],
  view: { width: number; height: number },
  before: Label[],
  next = 0,
): Placement {
  const seen = elements.filter((e) => overlaps(e.box, { x: 0, y: 0, ...view }));
  const sorted = seen
    .map((e, order) => ({ e, order }))
    .sort((a, b) => rank(a.e, next) - rank(b.e, next) || a.order - b.order);
  const chosen = sorted.slice(0, LABELS_MAX).map((s) => s.e);
  const ground = new Ground(seen, view);
  const kept = new Map(before.filter((l) => l.slot !== 'stack').map((l) => [l.id, l]));

  const waiting: Markable[] = [];
  for (const element of chosen) {
    const old = kept.get(element.id);
    if (old && element.id !== next && same(old.anchor, element.box) && ground.free(old, element)) ground.put(old);
    else waiting.push(element);
  }
  waiting.sort((a, b) => rank(a, next) - rank(b, next));
  const homeless = waiting.filter((element) => !ground.settle(element));
  const dots = homeless.filter((element) => !ground.stack(element));
  const rest = [...dots, ...sorted.slice(LABELS_MAX).map((s) => s.e)];
  return { labels: ground.labels, dots: rest.flatMap((element) => ground.dot(element)) };
}

function rank(element: Markable, next: number): number {
  if (element.id === next) return 0;
  const base = FIELDS.includes(element.role) ? 1 : BUTTONS.includes(element.role) ? 2 : element.role === 'link' ? 3 : 4;
  return element.usable ? base : base + 4;
}

/** What is already taken on the view. */
class Ground {
  readonly labels: Label[] = [];
  readonly #centres: { id: number; x: number; y: number }[];

  constructor(
    elements: Markable[],
    private readonly view: { width: number; height: number },
  ) {
    this.#centres = elements.map((e) => ({ id: e.id, x: e.box.x + e.box.width / 2, y: e.box.y + e.box.height / 2 }));
  }

  put(label: Label): void {
    this.labels.push(label);
  }

  /** Free: inside the view, over no other label, over no element's centre, not over its own text. */
  free(rect: Rect, own: Markable, except?: Label): boolean {
    const { width, height } = this.view;
    if (rect.x < 0 || rect.y < 0 || rect.x + rect.width > width || rect.y + rect.height > height) return false;
    if (this.labels.some((label) => label !== except && overlaps(grow(rect, RIM), label))) return false;
    if (this.#centres.some((c) => inside(c, rect))) return false;
    return !coversText(rect, own);
  }

  /** Puts the element's label at the first free place; false when there is none. */
  settle(element: Markable): boolean {
    const candidates = candidatesOf({ ...element, box: clip(element.box, this.view) }, { ...element.box });
    const found = candidates.find((candidate) => this.free(candidate, element));
    if (found) this.put(found);
    return Boolean(found);
  }

  /** Joins the nearest label, which grows; false when no label near has room. */
  stack(element: Markable): boolean {
    const centre = (r: Rect) => ({ x: r.x + r.width / 2, y: r.y + r.height / 2 });
    const at = centre(element.box);
    const distance = (l: Label) => Math.hypot(centre(l).x - at.x, centre(l).y - at.y);
    const near = this.labels.filter((l) => distance(l) < 96).sort((a, b) => distance(a) - distance(b));
    for (const host of near) {
      const ids = [...host.ids, element.id].sort((a, b) => a - b);
      const width = labelWidth(stackText(ids));
      for (const x of [host.x, host.x + host.width - width]) {
        const wide = { x, y: host.y, width, height: LABEL_HEIGHT };
        if (!this.#fits(wide, host)) continue;
        Object.assign(host, wide, { ids, slot: 'stack' });
        return true;
      }
    }
    return false;
  }

  dot(element: Markable): Dot[] {
    const { x, y, width } = clip(element.box, this.view);
    for (const at of [
      { x, y },
      { x: x + width, y },
    ]) {
      const rect = { x: at.x - 3, y: at.y - 3, width: 6, height: 6 };
      if (rect.x < 0 || rect.y < 0 || rect.x + 6 > this.view.width || rect.y + 6 > this.view.height) continue;
      if (!this.labels.some((label) => overlaps(grow(rect, RIM), label))) return [{ id: element.id, ...at }];
    }
    return [];
  }

  #fits(rect: Rect, host: Label): boolean {
    const { width, height } = this.view;
    if (rect.x < 0 || rect.y < 0 || rect.x + rect.width > width || rect.y + rect.height > height) return false;
    if (this.labels.some((label) => label !== host && overlaps(grow(rect, RIM), label))) return false;
    return !this.#centres.some((c) => inside(c, rect));
  }
}

function candidatesOf(element: Markable, anchor: Rect): Label[] {
  const { box } = element;
  const width = labelWidth(String(element.id));
  const height = LABEL_HEIGHT;
  const right = box.x + box.width;
  const bottom = box.y + box.height;
  const middle = box.y + (box.height - height) / 2;
  const make = (slot: Slot, x: number, y: number, leader?: Label['leader']): Label => {
    const rect = { x: Math.round(x), y: Math.round(y), width, height };
    return { id: element.id, ids: [element.id], slot, ...rect, anchor, ...(leader ? { leader } : {}) };
  };
  const near = [
    make('left', box.x - width - GAP, middle),
    make('above', box.x, box.y - height - GAP),
    make('right', right + GAP, middle),
    make('below', box.x, bottom + GAP),
  ];
  // A thin line of words starts right at its corner: a label there would cover the first letters.
  if (!isWords(element)) {
    const { x, y } = overhang(box);
    near.unshift(make('corner', Math.max(0, box.x - width + x), Math.max(0, box.y - height + y)));
  }
  const cx = box.x + Math.min(box.width / 2, 24);
  const led = [
    make('led', cx - width / 2, box.y - height - LEAD, { x1: cx, y1: box.y - LEAD, x2: cx, y2: box.y }),
    make('led', box.x - width - LEAD, middle, { x1: box.x - LEAD, y1: middle + 7, x2: box.x, y2: middle + 7 }),
    make('led', right + LEAD, middle, { x1: right, y1: middle + 7, x2: right + LEAD, y2: middle + 7 }),
    make('led', cx - width / 2, bottom + LEAD, { x1: cx, y1: bottom, x2: cx, y2: bottom + LEAD }),
  ];
  return [...near, ...led];
}

/** Largest part of its own element a label may lie on. */
const OWN_PART = 0.25;

/** Whether a label would hide words of its own element, as far as its box tells. */
function coversText(rect: Rect, own: Markable): boolean {
  const { x, y } = cover(rect, own.box);
  if (x <= 0 || y <= 0) return false;
  return isWords(own) || x * y > own.box.width * own.box.height * OWN_PART;
}

/** The part of a box that is in view. */
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

const isWords = (e: Markable) => e.box.height < 24 && e.box.width > 24 && !FIELDS.includes(e.role);

/** How far a corner label reaches over its element: a little of a big one, less of a small one. */
const overhang = (box: Rect) => ({ x: Math.min(9, box.width / 5), y: Math.min(7, box.height / 5) });

function cover(a: Rect, b: Rect): { x: number; y: number } {
  return {
    x: Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x),
    y: Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y),
  };
}

/** Whether two rectangles share an area. */
export function overlaps(a: Rect, b: Rect): boolean {
  const shared = cover(a, b);
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
