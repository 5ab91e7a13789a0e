/** How long the window stands still for a picture at most, in milliseconds: longer than a picture may take. */
const POSE = 12_000;

interface Rect {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** What may stand over the stage and is the person's. */
const OVER = '[role=dialog],[role=menu],[role=listbox],[role=tooltip],.menu';

/** What a picture of the stage is cut to, and what of it is painted over. */
export interface Posed {
  stage: Rect;
  covered: Rect[];
}

/**
 * The window standing still for a picture. What a person has open over the stage, and what on it is theirs
 * alone, is told to be painted over; a picture counts only when all of that stayed as it was told.
 */
export class Pose {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #watch: MutationObserver | undefined;
  #stage: HTMLElement | null = null;
  #panel = '';
  #told = '';
  #held = false;

  constructor(private readonly turn: (posing: boolean) => void) {}

  /** Stands still, and then says what of the window is the page; `drawn` waits until it looks so. */
  async strike(stage: HTMLElement, drawn: () => Promise<unknown>): Promise<Posed> {
    this.#end();
    this.#panel = stage.dataset.surface ?? '';
    this.turn(true);
    this.#timer = setTimeout(() => this.#end(), POSE);
    await drawn();
    const posed = look(stage);
    this.#stage = stage;
    this.#told = JSON.stringify(posed);
    this.#held = true;
    this.#watch?.disconnect();
    this.#watch = new MutationObserver(() => this.#check());
    this.#watch.observe(document.body, { childList: true, subtree: true, attributes: true });
    return posed;
  }

  /** Ends it, and tells whether it was kept all the time. */
  rest(): boolean {
    this.#check();
    const held = this.#held;
    this.#end();
    return held;
  }

  #check(): void {
    const stage = this.#stage;
    this.#held &&=
      stage !== null &&
      stage.isConnected &&
      stage.dataset.surface === this.#panel &&
      document.querySelector('[data-surface]') === stage &&
      !document.querySelector('.scrim') &&
      JSON.stringify(look(stage)) === this.#told;
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#watch?.disconnect();
    this.#stage = null;
    this.#held = false;
    this.turn(false);
  }
}

function look(stage: HTMLElement): Posed {
  const rect = (el: Element): Rect => {
    const { x, y, width, height } = el.getBoundingClientRect();
    return { x, y, w: width, h: height };
  };
  const over = [...document.querySelectorAll(OVER)].filter((el) => !stage.contains(el) && el.checkVisibility());
  const own = [...stage.querySelectorAll('[data-private]')].filter((el) => el.checkVisibility());
  return { stage: rect(stage), covered: [...over, ...own].map(rect) };
}
