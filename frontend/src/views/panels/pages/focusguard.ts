/** Moves the focus back when a page in a frame has taken it and the person did not enter the frame. */
export class FocusGuard {
  #entered = false;

  constructor(private readonly frame: () => HTMLIFrameElement | undefined) {}

  /** Handler for the document's focusout event. */
  readonly focusOut = (event: FocusEvent): void => {
    const from = event.target;
    setTimeout(() => {
      const frame = this.frame();
      const frameTookFocus = frame && document.activeElement === frame && !this.#entered && !frame.matches(':hover');
      if (!frameTookFocus || !(from instanceof HTMLElement)) return;
      frame.blur();
      from.focus();
    });
  };

  /** Handler for the document's keydown event. The person can enter a frame with Tab and F6. */
  readonly keyDown = (event: KeyboardEvent): void => {
    this.#entered = event.key === 'Tab' || event.key === 'F6';
    setTimeout(() => (this.#entered = false));
  };
}
