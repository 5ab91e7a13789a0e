/** Returns the focus that a framed page took without the person entering the frame. */
export class FocusGuard {
  #entered = false;

  constructor(private readonly frame: () => HTMLIFrameElement | undefined) {}

  /** Handles the document's focusout. */
  readonly focusOut = (event: FocusEvent): void => {
    const from = event.target;
    setTimeout(() => {
      const frame = this.frame();
      const taken = frame && document.activeElement === frame && !this.#entered && !frame.matches(':hover');
      if (!taken || !(from instanceof HTMLElement)) return;
      frame.blur();
      from.focus();
    });
  };

  /** Handles the document's keydown: Tab and F6 lead into frames. */
  readonly keyDown = (event: KeyboardEvent): void => {
    this.#entered = event.key === 'Tab' || event.key === 'F6';
    setTimeout(() => (this.#entered = false));
  };
}
