import { failureText, type Actions } from './actions';

/** A value that the program stores. Every change answers with the new value. */
export class RemoteValue<T> {
  value = $state<T | null>(null);
  /** Why the last read failed. */
  failed = $state('');
  #revision = 0;

  constructor(
    protected readonly actions: Actions,
    private readonly request: () => Promise<T>,
  ) {}

  get loaded(): boolean {
    return this.value !== null;
  }

  /** Reads the value; an outdated answer is dropped. */
  async read(): Promise<void> {
    const revision = ++this.#revision;
    try {
      const value = await this.request();
      if (revision === this.#revision) this.set(value);
    } catch (error) {
      if (revision === this.#revision) this.failed = failureText(error);
    }
  }

  /** Sets a value that is newer than any being read. */
  protected set(value: T): void {
    this.#revision++;
    this.value = value;
    this.failed = '';
  }

  /** Sends a change, which answers with the new value; false when it failed, after showing why. */
  protected async change(request: Promise<T>): Promise<boolean> {
    const done = await this.actions.ask(request.then((value) => this.set(value)));
    if (!done) await this.read();
    return done;
  }
}
