import { READ_DELAY_MS } from '../../../domain/approvals/approvals.svelte';

/**
 * The time that a person needs to read a question. A page chooses when it asks, so a click counts as an answer only
 * when `over` is true: an earlier click may have been meant for something else. Create it during the initialization
 * of a component.
 */
export class ReadDelay {
  over = $state(false);

  constructor() {
    $effect(() => {
      const timer = setTimeout(() => (this.over = true), READ_DELAY_MS);
      return () => clearTimeout(timer);
    });
  }
}
