import { KEY_DELAY_MS } from '../../../domain/approvals/approvals.svelte';

/**
 * The time a person needs to read a question. A page chooses when it asks, so a press counts as an answer only once
 * `over` is true: an earlier one was meant for whatever was there before. Create it while a component is set up.
 */
export class ReadDelay {
  over = $state(false);

  constructor() {
    $effect(() => {
      const timer = setTimeout(() => (this.over = true), KEY_DELAY_MS);
      return () => clearTimeout(timer);
    });
  }
}
