import type { Input } from '../../shared/api/types';
import { isComposing, modifierBits } from '../../shared/format/keys';

const BUTTONS = ['left', 'middle', 'right'];

/**
 * Turns mouse, wheel and key events on the live view into input for the page. Moves and wheel events are collected and
 * sent with the next animation frame, or earlier before a press or key.
 */
export class PageInput {
  #move: Input | null = null;
  #wheel: Input | null = null;
  #frame = 0;

  /** `toPage` converts window coordinates into CSS pixels of the page's viewport. */
  constructor(
    private readonly send: (input: Input) => void,
    private readonly toPage: (x: number, y: number) => { x: number; y: number },
  ) {}

  press(event: MouseEvent, type: 'down' | 'up'): void {
    this.#flush();
    this.send({
      type,
      ...this.toPage(event.clientX, event.clientY),
      button: BUTTONS[event.button] ?? 'left',
      count: Math.max(1, event.detail),
      modifiers: modifierBits(event),
    });
  }

  move(event: MouseEvent): void {
    const held = event.buttons & 1 ? 'left' : event.buttons & 2 ? 'right' : '';
    this.#move = {
      type: 'move',
      ...this.toPage(event.clientX, event.clientY),
      ...(held ? { button: held } : {}),
      modifiers: modifierBits(event),
    };
    this.#schedule();
  }

  wheel(event: WheelEvent): void {
    const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
    this.#wheel = {
      type: 'wheel',
      ...this.toPage(event.clientX, event.clientY),
      dx: (this.#wheel?.dx ?? 0) + event.deltaX * unit,
      dy: (this.#wheel?.dy ?? 0) + event.deltaY * unit,
      modifiers: modifierBits(event),
    };
    this.#schedule();
  }

  /** Sends a key and returns true: the window must not handle it too. Dead keys and an input method's are not sent. */
  key(event: KeyboardEvent, type: 'keydown' | 'keyup'): boolean {
    if (isComposing(event) || event.key === 'Dead' || event.key === 'Process' || event.key === 'Unidentified')
      return false;
    this.#flush();
    const letter = [...event.key].length === 1 && (!event.ctrlKey || event.altKey) && !event.metaKey;
    // AltGr is reported as Control and Alt, which must not apply to the letter it produces.
    const modifiers = letter && event.ctrlKey && event.altKey ? 0 : modifierBits(event);
    this.send({
      type,
      key: event.key,
      code: event.code,
      modifiers,
      ...(letter && type === 'keydown' ? { text: event.key } : {}),
    });
    return true;
  }

  /** Sends text from an input method or a paste. */
  text(text: string): void {
    if (!text) return;
    this.#flush();
    this.send({ type: 'text', text });
  }

  /** Sends what was entered into the text area that takes the keys, and empties it. */
  entered = (event: Event): void => {
    const area = event.currentTarget as HTMLTextAreaElement;
    if ((event as InputEvent).isComposing) return;
    this.text(area.value);
    area.value = '';
  };

  /** Sends what an input method has composed in that text area. */
  composed = (event: CompositionEvent): void => {
    const area = event.currentTarget as HTMLTextAreaElement;
    this.text(event.data);
    requestAnimationFrame(() => (area.value = ''));
  };

  #schedule(): void {
    this.#frame ||= requestAnimationFrame(() => this.#flush());
  }

  #flush(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    const [move, wheel] = [this.#move, this.#wheel];
    this.#move = this.#wheel = null;
    if (move) this.send(move);
    if (wheel) this.send(wheel);
  }
}
