/** The pause after a denial in milliseconds, and the number of denials in a row that end all requests. */
const PAUSE_MS = 3000;
const DENIALS_MAX = 2;

/** Limits what pages ask of the person, so that they cannot keep asking until the person gives in. */
export class DenialLimiter {
  #denials = 0;
  #last = 0;

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Why no request is allowed now; "" when a request is allowed. */
  get refusal(): string {
    if (this.#denials >= DENIALS_MAX)
      return 'The person declined twice. The page may ask again once they reopen the app.';
    if (this.#denials && this.now() - this.#last < PAUSE_MS) return 'The person has just declined. Try again later.';
    return '';
  }

  record(yes: boolean): void {
    this.#denials = yes ? 0 : this.#denials + 1;
    this.#last = this.now();
  }
}
