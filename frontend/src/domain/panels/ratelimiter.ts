/**
 * A token bucket for messages of a frame: it accepts `burst` messages at once, then `rate` per second. A sender with
 * more than `patience` excess messages in all should be disconnected.
 */
export class RateLimiter {
  #tokens: number;
  #at: number;
  #excess = 0;

  constructor(
    private readonly burst = 400,
    private readonly rate = 100,
    private readonly patience = 200,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#tokens = burst;
    this.#at = now();
  }

  /** Returns what to do with one more message. 'close' means to disconnect the sender. */
  take(): 'accept' | 'drop' | 'close' {
    const now = this.now();
    this.#tokens = Math.min(this.burst, this.#tokens + ((now - this.#at) / 1000) * this.rate);
    this.#at = now;
    if (this.#tokens >= 1) {
      this.#tokens--;
      return 'accept';
    }
    return ++this.#excess > this.patience ? 'close' : 'drop';
  }
}
