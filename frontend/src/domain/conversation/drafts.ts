const PREFIX = 'draft.';
/** Where the text lies whose conversation is made with its first message. */
const UNBORN = 'new';
const PAUSE = 400;

/**
 * Texts that were written and not sent, by conversation ("" is the one that is not made yet). They are
 * kept twice: in the window's storage at every key, which holds when its page is stopped or loaded anew,
 * and by the program after a pause, which holds when the program starts again, at another address.
 */
export class Drafts {
  readonly #written = new Map<string, string>();
  readonly #owed = new Map<string, ReturnType<typeof setTimeout>>();

  /** `kept` is what the program had when the window was opened; `keep` keeps a text there. */
  constructor(
    private readonly kept: (key: string) => string,
    private readonly keep: (key: string, text: string) => Promise<unknown>,
  ) {}

  read(conversation: string): string {
    const key = name(conversation);
    return this.#written.get(key) ?? localStorage.getItem(`sextant.${key}`) ?? this.kept(key);
  }

  write(conversation: string, text: string): void {
    const key = name(conversation);
    this.#written.set(key, text);
    try {
      // An empty one stays, or what the program still holds would come back.
      localStorage.setItem(`sextant.${key}`, text);
    } catch {
      // The storage is full; the program keeps it all the same.
    }
    clearTimeout(this.#owed.get(key));
    const owed = setTimeout(() => {
      this.#owed.delete(key);
      // Not kept there, it is still here; the next change tries again.
      this.keep(key, text).catch(() => {});
    }, PAUSE);
    this.#owed.set(key, owed);
  }

  /** The conversation was made: what was written for it is its own now. */
  born(conversation: string): void {
    this.write(conversation, this.read(''));
    this.write('', '');
  }
}

const name = (conversation: string) => PREFIX + (conversation || UNBORN);
