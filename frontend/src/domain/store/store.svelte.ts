import type { StoredEvent } from '../../shared/api/types';
import { reduce, type Change } from './reducer';
import { emptyState, type AppState } from './state';

/** Holds the state. Everything may read it; only `apply` changes it. */
export class Store {
  #state = $state(emptyState());

  get state(): Readonly<AppState> {
    return this.#state;
  }

  apply(change: Change): void {
    reduce(this.#state, change);
  }

  event(event: StoredEvent): void {
    reduce(this.#state, { is: 'event', event });
  }
}
