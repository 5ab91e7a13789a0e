const PREFIX = 'draft.';
/** The key of the draft whose conversation does not exist yet. */
const NEW = 'new';
const PAUSE_MS = 400;

/**
 * Unsent texts by conversation; "" stands for the new conversation that does not exist yet. They are saved in the
 * window's storage at every key press, and by the program after a pause: a restart of the program loses the storage.
 */
export class Drafts {
  readonly #written = new Map<string, string>();
  readonly #pending = new Map<string, ReturnType<typeof setTimeout>>();

  /** `saved` returns the text that the program has under a key; `save` saves a text there. */
  constructor(
    private readonly saved: (key: string) => string,
    private readonly save: (key: string, text: string) => Promise<unknown>,
  ) {}

  read(conversation: string): string {
    const key = name(conversation);
    return this.#written.get(key) ?? localStorage.getItem(`sextant.${key}`) ?? this.saved(key);
  }

  write(conversation: string, text: string): void {
    const key = name(conversation);
    this.#written.set(key, text);
    try {
      // An empty text is saved too, or the program's older text would come back.
      localStorage.setItem(`sextant.${key}`, text);
    } catch {
      // The storage is full; the program still saves it.
    }
    clearTimeout(this.#pending.get(key));
    const timer = setTimeout(() => {
      this.#pending.delete(key);
      // The window's storage still has the text, and the next change tries again.
      this.save(key, text).catch(() => {});
    }, PAUSE_MS);
    this.#pending.set(key, timer);
  }

  /** Moves the new draft to the conversation that was created for it. */
  moveFromNew(conversation: string): void {
    this.write(conversation, this.read(''));
    this.write('', '');
  }
}

const name = (conversation: string) => PREFIX + (conversation || NEW);
