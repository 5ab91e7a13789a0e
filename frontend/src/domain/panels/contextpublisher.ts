import type { Backend } from '../../shared/api/backend';
import type { Json } from '../../shared/api/types';

/** Delay before a value is sent, so that walking through a list sends only its end. */
const DELAY_MS = 120;

/**
 * Publishes what built-in panels show, so that the assistant can refer to it. Sent from a timer, because requests
 * during an action of the assistant would be refused.
 */
export class ContextPublisher {
  #current = new Map<string, Record<string, Json>>();
  #sent = new Map<string, string>();
  /** Panels for which something other than {} was sent or tried. */
  #used = new Set<string>();
  #timers = new Map<string, ReturnType<typeof setTimeout>>();

  constructor(private readonly backend: Backend) {}

  /** Sets what a panel shows; {} for nothing. */
  publish(panel: string, values: Record<string, Json>): void {
    this.#current.set(panel, values);
    clearTimeout(this.#timers.get(panel));
    this.#timers.set(
      panel,
      setTimeout(() => void this.#send(panel), DELAY_MS),
    );
  }

  /** Sends everything again, after the program restarted. */
  republish(): void {
    this.#sent.clear();
    for (const [panel, values] of this.#current) this.publish(panel, values);
  }

  async #send(panel: string): Promise<void> {
    const values = this.#current.get(panel) ?? {};
    const text = JSON.stringify(values);
    // A window that never showed anything must not erase what another window published.
    if (text === (this.#sent.get(panel) ?? (this.#used.has(panel) ? '' : '{}'))) return;
    this.#sent.set(panel, text);
    if (text !== '{}') this.#used.add(panel);
    try {
      await this.backend.publishContext(panel, values);
    } catch {
      this.#sent.delete(panel); // sent with the next change or republish
    }
  }
}
