/** How far above the end the view still counts as being at the end, in pixels. */
const END = 48;

/** Keeps the end of a scrolled element in view while its content grows, until a person scrolls up. */
export class ScrollFollower {
  /** Whether the end is in view, or will be once the content has its final size. */
  following = $state(true);
  /** Whether the next change of the content's size scrolls to the end. */
  #settling = false;
  #scroller: HTMLElement | null = null;
  #top = 0;
  #height = 0;

  /** Called after every scroll and every change of size. */
  onChange: () => void = () => {};

  /** Svelte attachment for the scrolled element. Its first child contains the content. */
  readonly attach = (scroller: HTMLElement) => {
    this.#scroller = scroller;
    const release = () => (this.#settling = false);
    const inputs = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;
    const scrolled = () => this.#scrolled(scroller);
    const resized = new ResizeObserver(() => {
      if (this.#settling || this.following) this.#scrollToEnd();
      this.onChange();
    });
    const grown = new ResizeObserver(() => {
      if (this.#settling) this.#scrollToEnd();
      this.onChange();
    });
    for (const input of inputs) scroller.addEventListener(input, release, { passive: true });
    scroller.addEventListener('scroll', scrolled, { passive: true });
    scroller.addEventListener('grew', this.follow);
    resized.observe(scroller);
    const content = scroller.firstElementChild;
    if (content) grown.observe(content);
    return () => {
      for (const input of inputs) scroller.removeEventListener(input, release);
      scroller.removeEventListener('scroll', scrolled);
      scroller.removeEventListener('grew', this.follow);
      resized.disconnect();
      grown.disconnect();
      this.#scroller = null;
    };
  };

  /** Scrolls to the end and stays there. */
  toEnd(): void {
    this.following = true;
    this.#settling = true;
    this.#scrollToEnd();
  }

  /** Scrolls to the end if the end was in view before the content grew. */
  readonly follow = (): void => {
    if (this.following) this.toEnd();
  };

  /** Keeps the current position. */
  stay(): void {
    this.following = false;
    this.#settling = false;
  }

  /** Whether less than `distance` pixels are above (or below) the view. */
  isNear(side: 'start' | 'end', distance: number): boolean {
    const scroller = this.#scroller;
    if (!scroller) return false;
    const { scrollTop, scrollHeight, clientHeight } = scroller;
    return (side === 'start' ? scrollTop : scrollHeight - scrollTop - clientHeight) < distance;
  }

  #scrollToEnd(): void {
    if (this.#scroller) this.#scroller.scrollTop = this.#scroller.scrollHeight;
  }

  #scrolled(scroller: HTMLElement): void {
    const { scrollTop, scrollHeight } = scroller;
    // A move up in content of the same height was a person's, for example with the scroll bar.
    if (scrollTop < this.#top - 1 && scrollHeight === this.#height) this.#settling = false;
    this.#top = scrollTop;
    this.#height = scrollHeight;
    if (this.isNear('end', END)) this.following = true;
    else if (!this.#settling) this.following = false;
    this.onChange();
  }
}
