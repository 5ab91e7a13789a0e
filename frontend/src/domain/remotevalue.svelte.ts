import { failureText, type Actions } from './actions';

/** A value that the program stores; null before the first read. */
export class RemoteValue<T> {
  value = $state<T | null>(null);
  /** Why the last read failed, "" if it did not. */
  failed = $state('');
  #revision = 0;

  constructor(
    protected readonly actions: Actions,
    private readonly request: () => Promise<T>,
  ) {}

  get loaded(): boolean {
    return this.value !== null;
  }

  /** Reads the value. An outdated answer is dropped. */
  async read(): Promise<void> {
    const revision = ++this.#revision;
    try {
      const value = await this.request();
      if (revision === this.#revision) this.set(value);
    } catch (error) {
      if (revision === this.#revision) this.failed = failureText(error);
    }
  }

  /** Sets a value that is newer than the answers to all pending reads. */
  protected set(value: T): void {
    this.#revision++;
    this.value = value;
    this.failed = '';
  }

  /** Waits for a change and sets the value it returns. If it fails, shows why, reads the value and returns false. */
  protected async change(request: Promise<T>): Promise<boolean> {
    const done = await this.actions.attempt(request.then((value) => this.set(value)));
    if (!done) await this.read();
    return done;
  }
}
