import type { Backend } from '../../shared/api/backend';
import type { Json } from '../../shared/api/types';

/** Delay before a value is sent, so that stepping through a list sends only the last value. */
const DELAY_MS = 120;

/**
 * Publishes what built-in panels show, so that the assistant can refer to it. A timer sends the values, because
 * requests during an action of the assistant are refused.
 */
export class ContextPublisher {
  #current = new Map<string, Record<string, Json>>();
  #sent = new Map<string, string>();
  /** Panels for which this window has sent, or tried to send, anything but {}. */
  #used = new Set<string>();
  #timers = new Map<string, ReturnType<typeof setTimeout>>();

  constructor(private readonly backend: Backend) {}

  /** Publishes the values that a panel shows, {} for none. */
  publish(panel: string, values: Record<string, Json>): void {
    this.#current.set(panel, values);
    clearTimeout(this.#timers.get(panel));
    this.#timers.set(
      panel,
      setTimeout(() => void this.#send(panel), DELAY_MS),
    );
  }

  /** Sends values whose delay has not passed. A message's tool calls then see what the person saw when sending it. */
  async flush(): Promise<void> {
    await Promise.all([...this.#timers.keys()].map((panel) => this.#send(panel)));
  }

  /** Sends the values of all panels again, as a restarted program needs them. */
  republish(): void {
    this.#sent.clear();
    for (const [panel, values] of this.#current) this.publish(panel, values);
  }

  async #send(panel: string): Promise<void> {
    clearTimeout(this.#timers.get(panel));
    this.#timers.delete(panel);
    const values = this.#current.get(panel) ?? {};
    const text = JSON.stringify(values);
    // A window that never showed anything must not erase what another window published.
    if (text === (this.#sent.get(panel) ?? (this.#used.has(panel) ? '' : '{}'))) return;
    this.#sent.set(panel, text);
    if (text !== '{}') this.#used.add(panel);
    try {
      await this.backend.publishContext(panel, values);
    } catch {
      this.#sent.delete(panel); // the next change or republish sends it again
    }
  }
}
