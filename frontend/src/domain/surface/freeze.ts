/** The longest freeze, in milliseconds. No screenshot may take as long. */
const FREEZE_MAX_MS = 12_000;

interface Rect {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** Selects elements that may cover the stage and are for the person only. */
const OVERLAYS = '[role=dialog],[role=menu],[role=listbox],[role=tooltip],.menu';

/** The part of the window that the screenshot shows, and the rectangles in it to paint over, in CSS pixels. */
export interface FrozenLayout {
  stage: Rect;
  covered: Rect[];
}

/**
 * Freezes the window for a screenshot of the stage. The program paints over the overlays and private elements that the
 * layout lists. The screenshot is valid only if the layout did not change until the end of the freeze.
 */
export class WindowFreeze {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #watch: MutationObserver | undefined;
  #stage: HTMLElement | null = null;
  #panel = '';
  #layout = '';
  #unchanged = false;

  constructor(private readonly setFrozen: (frozen: boolean) => void) {}

  /** Freezes the window and returns its layout. `drawn` waits until the frozen window is painted. */
  async begin(stage: HTMLElement, drawn: () => Promise<unknown>): Promise<FrozenLayout> {
    this.#stop();
    this.#panel = stage.dataset.surface ?? '';
    this.setFrozen(true);
    this.#timer = setTimeout(() => this.#stop(), FREEZE_MAX_MS);
    await drawn();
    const layout = measure(stage);
    this.#stage = stage;
    this.#layout = JSON.stringify(layout);
    this.#unchanged = true;
    this.#watch?.disconnect();
    this.#watch = new MutationObserver(() => this.#check());
    this.#watch.observe(document.body, { childList: true, subtree: true, attributes: true });
    return layout;
  }

  /** Ends the freeze and reports whether the layout stayed the same. */
  end(): boolean {
    this.#check();
    const unchanged = this.#unchanged;
    this.#stop();
    return unchanged;
  }

  #check(): void {
    const stage = this.#stage;
    this.#unchanged &&=
      stage !== null &&
      stage.isConnected &&
      stage.dataset.surface === this.#panel &&
      document.querySelector('[data-surface]') === stage &&
      !document.querySelector('.scrim') &&
      JSON.stringify(measure(stage)) === this.#layout;
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#watch?.disconnect();
    this.#stage = null;
    this.#unchanged = false;
    this.setFrozen(false);
  }
}

function measure(stage: HTMLElement): FrozenLayout {
  const rect = (el: Element): Rect => {
    const { x, y, width, height } = el.getBoundingClientRect();
    return { x, y, w: width, h: height };
  };
  const overlays = [...document.querySelectorAll(OVERLAYS)].filter((el) => !stage.contains(el) && el.checkVisibility());
  const own = [...stage.querySelectorAll('[data-private]')].filter((el) => el.checkVisibility());
  return { stage: rect(stage), covered: [...overlays, ...own].map(rect) };
}
