import type { DisplayMode } from '../../domain/panels/pagehost';

interface Rect {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** The floating window's initial size, its distance from the stage's edge, and the step of an arrow key, in pixels. */
const SMALL = { width: 360, height: 300 };
const EDGE = 8;
const STEP = 24;

/**
 * The position of an app outside the conversation: the whole stage, or a floating window that the person moves by its
 * header. It never leaves the stage or covers its banners, so it never hides an approval or the message box.
 */
export class AppPlacement {
  /** The height of Sextant's window in pixels. */
  window = $state(innerHeight);
  moving = $state(false);
  #stage = $state<Rect>({ left: 0, top: 0, width: 0, height: 0 });
  #size = $state(SMALL);
  #at = $state<{ left: number; top: number } | null>(null);
  #box: HTMLElement | null = null;
  #from = { x: 0, y: 0, left: 0, top: 0 };

  /** Svelte attachment for the app's element that follows the size of the stage. */
  readonly follow = (box: HTMLElement): (() => void) => {
    this.#box = box;
    const stage = document.querySelector<HTMLElement>('[data-region="stage"]');
    const measure = () => {
      this.window = innerHeight;
      if (!stage) return;
      const { left, top, width, bottom } = stage.getBoundingClientRect();
      const banners = [...stage.querySelectorAll('[data-banner]')].map((one) => one.getBoundingClientRect().bottom);
      const free = Math.max(top, ...banners);
      this.#stage = { left, top: free, width, height: bottom - free };
    };
    measure();
    const watch = new ResizeObserver(measure);
    const banners = new MutationObserver(measure);
    if (stage) {
      watch.observe(stage);
      banners.observe(stage, { childList: true });
    }
    addEventListener('resize', measure);
    return () => {
      watch.disconnect();
      banners.disconnect();
      removeEventListener('resize', measure);
      this.#box = null;
    };
  };

  /** Returns the inline style for a display mode. */
  style(mode: DisplayMode): string {
    const { left, top, width, height } = this.#stage;
    if (mode === 'fullscreen') return `left:${left}px;top:${top}px;width:${width}px;height:${height}px`;
    if (mode !== 'pip') return '';
    const at = this.#inside(this.#at ?? { left: Infinity, top: Infinity }, this.#size);
    const most = `max-width:${width - 2 * EDGE}px;max-height:${height - 2 * EDGE}px`;
    return `left:${at.left}px;top:${at.top}px;width:${this.#size.width}px;height:${this.#size.height}px;${most}`;
  }

  readonly grab = (event: PointerEvent): void => {
    if (!(event.currentTarget instanceof HTMLElement) || !this.#box) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const { left, top, width, height } = this.#box.getBoundingClientRect();
    this.#size = { width, height }; // the person may have resized it
    this.#from = { x: event.clientX, y: event.clientY, left, top };
    this.moving = true;
  };

  readonly drag = (event: PointerEvent): void => {
    if (!this.moving) return;
    const { x, y, left, top } = this.#from;
    this.#move(left + event.clientX - x, top + event.clientY - y);
  };

  readonly release = (): void => {
    this.moving = false;
  };

  /** Moves the floating window with the arrow keys. */
  readonly step = (event: KeyboardEvent): void => {
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!by || !this.#box) return;
    event.preventDefault();
    const { left, top } = this.#box.getBoundingClientRect();
    this.#move(left + by[0]! * STEP, top + by[1]! * STEP);
  };

  #move(left: number, top: number): void {
    const { offsetWidth: width, offsetHeight: height } = this.#box ?? { offsetWidth: 0, offsetHeight: 0 };
    this.#at = this.#inside({ left, top }, { width, height });
  }

  #inside(at: { left: number; top: number }, size: { width: number; height: number }): { left: number; top: number } {
    const { left, top, width, height } = this.#stage;
    const between = (value: number, least: number, most: number) => Math.max(least, Math.min(value, most));
    return {
      left: between(at.left, left + EDGE, left + width - size.width - EDGE),
      top: between(at.top, top + EDGE, top + height - size.height - EDGE),
    };
  }
}
