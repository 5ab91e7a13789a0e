/**
 * How much of a frame's talk the window listens to: `burst` messages at once, `rate` a second
 * after that. Who goes on beyond it is to be cut off.
 */
export class Flood {
  #left: number;
  #at: number;
  #beyond = 0;

  constructor(
    private readonly burst = 400,
    private readonly rate = 100,
    private readonly patience = 200,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#left = burst;
    this.#at = now();
  }

  /** What to do with one more message: hear it, drop it, or cut its sender off. */
  take(): 'hear' | 'drop' | 'cut' {
    const now = this.now();
    this.#left = Math.min(this.burst, this.#left + ((now - this.#at) / 1000) * this.rate);
    this.#at = now;
    if (this.#left >= 1) {
      this.#left--;
      return 'hear';
    }
    return ++this.#beyond > this.patience ? 'cut' : 'drop';
  }
}
