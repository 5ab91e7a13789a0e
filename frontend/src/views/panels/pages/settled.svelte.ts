import { KEY_DELAY_MS } from '../../../domain/approvals/approvals.svelte';

/**
 * Whether a question could have been read. A page chooses when it asks: a yes counts only then, or a press
 * that was meant for what stood there before would be one. Made while a component is.
 */
export class Settled {
  now = $state(false);

  constructor() {
    $effect(() => {
      const timer = setTimeout(() => (this.now = true), KEY_DELAY_MS);
      return () => clearTimeout(timer);
    });
  }
}
