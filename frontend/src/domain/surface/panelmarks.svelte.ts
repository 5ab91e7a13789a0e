import type { Json, MarkElement, SurfaceMarks } from '../../shared/api/types';

/** A rectangle in pixels. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Requests the boxes of elements from the page, or from its frame. Resolves to null or rejects without an answer. */
export type BoxQuery = (frame: boolean, doc: string, handles: number[]) => Promise<Json>;

/** The interval at which the boxes are read, in milliseconds. Scrolling reads them at once. */
const INTERVAL_MS = 200;
/** How long to wait for the answer of a frame, in milliseconds. */
const FRAME_TIMEOUT_MS = 500;

/** The marks over the shown panel's page. A mark follows its element and is hidden while the element is not visible. */
export class PanelMarks {
  panel = $state('');
  version = $state(0);
  /** The box of the stage in window pixels. */
  stage = $state.raw<Box>({ x: 0, y: 0, width: 0, height: 0 });
  /** The marked elements that are visible, with their boxes relative to the stage. */
  visible = $state.raw<MarkElement[]>([]);
  #source: SurfaceMarks | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asking: Promise<void> | null = null;
  #again = false;
  #boxes: [Map<number, Box>, Map<number, Box>] = [new Map(), new Map()];

  constructor(
    private readonly ask: BoxQuery,
    private readonly drawn: () => boolean = () => true,
  ) {}

  /** All marked elements of the panel, visible or not. */
  get elements(): MarkElement[] {
    return this.panel ? (this.#source?.marks ?? []).map((mark) => mark.element) : [];
  }

  element(id: number): MarkElement | undefined {
    return this.elements.find((element) => element.id === id);
  }

  /** Replaces the marks by those of a new observation. */
  replace(panel: string, source: SurfaceMarks): void {
    const first = this.panel !== panel;
    this.#source = source;
    this.panel = panel;
    this.version = source.version;
    if (first) this.#boxes = [new Map(), new Map()];
    this.follow();
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#source = null;
    this.panel = '';
    this.visible = [];
  }

  /** Reads the boxes now, and then at regular intervals while marks are drawn and the window is visible. */
  follow(): void {
    if (!this.#source) return;
    clearTimeout(this.#timer);
    if (this.#asking) {
      this.#again = true;
      return;
    }
    // No mark is drawn. Turning the marks on or a new observation calls this again.
    if (!this.drawn() || document.hidden) return;
    this.#asking = this.#update().finally(() => {
      this.#asking = null;
      const soon = this.#again;
      this.#again = false;
      if (this.#source) this.#timer = setTimeout(() => this.follow(), soon ? 0 : INTERVAL_MS);
    });
  }

  async #update(): Promise<void> {
    const source = this.#source;
    const stage = document.querySelector<HTMLElement>('[data-surface]');
    if (!source || !stage || stage.dataset.surface !== this.panel) {
      this.clear();
      return;
    }
    const handles = (frame: boolean) =>
      source.marks.filter((mark) => Boolean(mark.element.frame) === frame).map((mark) => mark.handle);
    const boxOf = (el: Element): Box => {
      const { x, y, width, height } = el.getBoundingClientRect();
      return { x, y, width, height };
    };
    const at = boxOf(stage);
    const own = handles(false);
    this.#boxes[0] = boxesOf(own, own.length ? await this.#query(false, source.doc, own) : []);
    this.#publish(source, at);
    const theirs = handles(true);
    const frame = stage.querySelector('iframe');
    if (!frame || !theirs.length || !source.frame_doc) this.#boxes[1] = new Map();
    else {
      const inner = boxOf(frame);
      const timeout = new Promise<Json>((done) => setTimeout(() => done(null), FRAME_TIMEOUT_MS));
      const answer = await Promise.race([this.#query(true, source.frame_doc, theirs), timeout]);
      this.#boxes[1] = new Map();
      for (const [handle, box] of boxesOf(theirs, answer)) {
        const cut = intersection({ ...box, x: box.x + inner.x, y: box.y + inner.y }, inner);
        if (cut) this.#boxes[1].set(handle, cut);
      }
    }
    this.#publish(source, at);
  }

  #publish(source: SurfaceMarks, at: Box): void {
    if (this.#source !== source) return;
    const seen: MarkElement[] = [];
    for (const { handle, element } of source.marks) {
      const box = this.#boxes[element.frame ? 1 : 0].get(handle);
      if (box) seen.push({ ...element, in_view: true, box: { ...box, x: box.x - at.x, y: box.y - at.y } });
    }
    if (!sameBox(this.stage, at)) this.stage = at;
    if (!same(seen, this.visible)) this.visible = seen;
  }

  async #query(frame: boolean, doc: string, handles: number[]): Promise<Json> {
    try {
      return (await this.ask(frame, doc, handles)) as Json;
    } catch {
      return null; // no marks are shown without an answer
    }
  }
}

/** Returns the valid boxes of a page's answer, by handle. */
function boxesOf(handles: number[], answer: Json): Map<number, Box> {
  const boxes = new Map<number, Box>();
  if (!Array.isArray(answer)) return boxes;
  handles.forEach((handle, i) => {
    const box: unknown = answer[i];
    if (!Array.isArray(box) || box.length !== 4 || !box.every((v) => Number.isFinite(v))) return;
    const [x, y, width, height] = box as [number, number, number, number];
    if (width > 0 && height > 0) boxes.set(handle, { x, y, width, height });
  });
  return boxes;
}

/** Returns the part of `box` inside `place`, or null when there is none. */
export function intersection(box: Box, place: Box): Box | null {
  const x = Math.max(box.x, place.x);
  const y = Math.max(box.y, place.y);
  const width = Math.min(box.x + box.width, place.x + place.width) - x;
  const height = Math.min(box.y + box.height, place.y + place.height) - y;
  return width > 0 && height > 0 ? { x, y, width, height } : null;
}

const sameBox = (a: Box, b: Box) => a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;

const same = (a: MarkElement[], b: MarkElement[]) =>
  a.length === b.length &&
  a.every((one, i) => {
    const other = b[i];
    return other?.id === one.id && other.usable === one.usable && sameBox(one.box, other.box);
  });
