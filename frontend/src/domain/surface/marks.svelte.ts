import type { Json, MarkElement, SurfaceMarks } from '../../shared/api/types';

/** The place on the window where a panel stands, in its pixels. */
export interface Place {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Asks a document of the page where its elements are; null for a page that does not say. */
export type Whereabouts = (frame: boolean, doc: string, handles: number[]) => Promise<Json>;

/** How often the numbers look where their elements stand, in milliseconds; a scroll is followed at once. */
const BEAT = 200;
/** How long a frame may take to say where its elements are, in milliseconds. */
const FRAME = 500;

/**
 * The numbers over the page of the panel on the stage. Each follows what it stands on and hides while
 * that cannot be seen; all go with the page.
 */
export class PanelMarks {
  panel = $state('');
  version = $state(0);
  /** Where the panel stands on the window. */
  stage = $state.raw<Place>({ x: 0, y: 0, width: 0, height: 0 });
  /** The numbers whose elements can be seen now, their boxes in pixels of the stage. */
  seen = $state.raw<MarkElement[]>([]);
  #told: SurfaceMarks | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asking: Promise<void> | null = null;
  #again = false;
  #boxes: [Map<number, Place>, Map<number, Place>] = [new Map(), new Map()];

  constructor(
    private readonly ask: Whereabouts,
    private readonly drawn: () => boolean = () => true,
  ) {}

  /** All numbers of the panel, seen or not. */
  get elements(): MarkElement[] {
    return this.panel ? (this.#told?.marks ?? []).map((mark) => mark.element) : [];
  }

  element(id: number): MarkElement | undefined {
    return this.elements.find((element) => element.id === id);
  }

  /** Takes the numbers of a new look at a panel. */
  take(panel: string, told: SurfaceMarks): void {
    const first = this.panel !== panel;
    this.#told = told;
    this.panel = panel;
    this.version = told.version;
    if (first) this.#boxes = [new Map(), new Map()];
    this.follow();
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#told = null;
    this.panel = '';
    this.seen = [];
  }

  /** Looks where the elements are, at once, and then again and again. */
  follow(): void {
    if (!this.#told) return;
    clearTimeout(this.#timer);
    if (this.#asking) {
      this.#again = true;
      return;
    }
    // Nobody sees them: what turns them on again, or a look, begins anew.
    if (!this.drawn() || document.hidden) return;
    this.#asking = this.#look().finally(() => {
      this.#asking = null;
      const soon = this.#again;
      this.#again = false;
      if (this.#told) this.#timer = setTimeout(() => this.follow(), soon ? 0 : BEAT);
    });
  }

  async #look(): Promise<void> {
    const told = this.#told;
    const stage = document.querySelector<HTMLElement>('[data-surface]');
    if (!told || !stage || stage.dataset.surface !== this.panel) {
      this.clear();
      return;
    }
    const handles = (frame: boolean) =>
      told.marks.filter((mark) => Boolean(mark.element.frame) === frame).map((mark) => mark.handle);
    const room = (el: Element): Place => {
      const { x, y, width, height } = el.getBoundingClientRect();
      return { x, y, width, height };
    };
    const at = room(stage);
    const own = handles(false);
    this.#boxes[0] = boxesOf(own, own.length ? await this.#whereabouts(false, told.doc, own) : []);
    this.#publish(told, at);
    const theirs = handles(true);
    const frame = stage.querySelector('iframe');
    if (!frame || !theirs.length || !told.frame_doc) this.#boxes[1] = new Map();
    else {
      const inner = room(frame);
      const late = new Promise<Json>((done) => setTimeout(() => done(null), FRAME));
      const said = await Promise.race([this.#whereabouts(true, told.frame_doc, theirs), late]);
      this.#boxes[1] = new Map();
      for (const [handle, box] of boxesOf(theirs, said)) {
        const cut = inside({ ...box, x: box.x + inner.x, y: box.y + inner.y }, inner);
        if (cut) this.#boxes[1].set(handle, cut);
      }
    }
    this.#publish(told, at);
  }

  #publish(told: SurfaceMarks, at: Place): void {
    if (this.#told !== told) return;
    const seen: MarkElement[] = [];
    for (const { handle, element } of told.marks) {
      const box = this.#boxes[element.frame ? 1 : 0].get(handle);
      if (box) seen.push({ ...element, in_view: true, box: { ...box, x: box.x - at.x, y: box.y - at.y } });
    }
    if (!samePlace(this.stage, at)) this.stage = at;
    if (!same(seen, this.seen)) this.seen = seen;
  }

  async #whereabouts(frame: boolean, doc: string, handles: number[]): Promise<Json> {
    try {
      return (await this.ask(frame, doc, handles)) as Json;
    } catch {
      return null; // a page that does not say shows no numbers
    }
  }
}

/** What a page said of where its elements are; what is no box of numbers is left out. */
export function boxesOf(handles: number[], said: Json): Map<number, Place> {
  const boxes = new Map<number, Place>();
  if (!Array.isArray(said)) return boxes;
  handles.forEach((handle, i) => {
    const box: unknown = said[i];
    if (!Array.isArray(box) || box.length !== 4 || !box.every((v) => Number.isFinite(v))) return;
    const [x, y, width, height] = box as [number, number, number, number];
    if (width > 0 && height > 0) boxes.set(handle, { x, y, width, height });
  });
  return boxes;
}

/** The part of a box that lies in a place, null for none. */
export function inside(box: Place, place: Place): Place | null {
  const x = Math.max(box.x, place.x);
  const y = Math.max(box.y, place.y);
  const width = Math.min(box.x + box.width, place.x + place.width) - x;
  const height = Math.min(box.y + box.height, place.y + place.height) - y;
  return width > 0 && height > 0 ? { x, y, width, height } : null;
}

const samePlace = (a: Place, b: Place) => a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;

const same = (a: MarkElement[], b: MarkElement[]) =>
  a.length === b.length &&
  a.every((one, i) => {
    const other = b[i];
    return other?.id === one.id && other.usable === one.usable && samePlace(one.box, other.box);
  });
