import type { StoredEvent } from '../../shared/api/types';
import { reduce, type StateChange } from './reducer';
import { emptyState, type AppState } from './state';

/** Holds the state of the window. Only `apply` and `applyEvent` change it. */
export class Store {
  #state = $state(emptyState());

  get state(): Readonly<AppState> {
    return this.#state;
  }

  /** How many of the shown calls have ended. */
  readonly endedCalls: number = $derived(
    this.#state.activity.filter((id) => this.#state.calls[id]?.status !== 'running').length,
  );

  apply(change: StateChange): void {
    reduce(this.#state, change);
  }

  applyEvent(event: StoredEvent): void {
    reduce(this.#state, { kind: 'event', event });
  }
}
