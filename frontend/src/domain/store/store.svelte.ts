import type { StoredEvent } from '../../shared/api/types';
import { reduce, type Change } from './reducer';
import { emptyState, type AppState } from './state';

/** Holds the state of the window. Only `apply` and `event` change it. */
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
