import type { Backend } from '../../shared/api/backend';
import type { Json } from '../../shared/api/types';

/** How long a value rests before it is told: walking a list by keys is told once, at its end. */
const REST_MS = 120;

/**
 * Tells the program what the pages of built-in panels show, so that their tools know what "this one"
 * is. It is told in a task of its own: one that a press of the assistant's brought about is told too.
 */
export class Showing {
  #now = new Map<string, Record<string, Json>>();
  #told = new Map<string, string>();
  /** Panels of which more than {} was told or tried at any time. */
  #spoken = new Set<string>();
  #timers = new Map<string, ReturnType<typeof setTimeout>>();

  constructor(private readonly backend: Backend) {}

  /** What a panel shows now; {} for nothing. */
  say(panel: string, values: Record<string, Json>): void {
    this.#now.set(panel, values);
    clearTimeout(this.#timers.get(panel));
    this.#timers.set(
      panel,
      setTimeout(() => void this.#tell(panel), REST_MS),
    );
  }

  /** Tells everything once more: a program that was started anew does not know it. */
  again(): void {
    this.#told.clear();
    for (const [panel, values] of this.#now) this.say(panel, values);
  }

  async #tell(panel: string): Promise<void> {
    const values = this.#now.get(panel) ?? {};
    const text = JSON.stringify(values);
    // A window that shows nothing takes nothing away from what another one shows.
    if (text === (this.#told.get(panel) ?? (this.#spoken.has(panel) ? '' : '{}'))) return;
    this.#told.set(panel, text);
    if (text !== '{}') this.#spoken.add(panel);
    try {
      await this.backend.publishContext(panel, values);
    } catch {
      this.#told.delete(panel); // told with the next change, or when the program is there again
    }
  }
}
