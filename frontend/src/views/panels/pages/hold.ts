/** Gives the focus back that a page in a frame took by itself, without a hand on it. */
export class FocusGuard {
  #entered = false;

  constructor(private readonly frame: () => HTMLIFrameElement | undefined) {}

  /** For focusout of the document. */
  readonly left = (event: FocusEvent): void => {
    const from = event.target;
    setTimeout(() => {
      const frame = this.frame();
      const taken = frame && document.activeElement === frame && !this.#entered && !frame.matches(':hover');
      if (!taken || !(from instanceof HTMLElement)) return;
      frame.blur();
      from.focus();
    });
  };

  /** For keydown of the document: these lead into frames. */
  readonly pressed = (event: KeyboardEvent): void => {
    this.#entered = event.key === 'Tab' || event.key === 'F6';
    setTimeout(() => (this.#entered = false));
  };
}
