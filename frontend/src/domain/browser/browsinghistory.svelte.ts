import type { Visit } from '../../shared/api/types';
import type { Actions } from '../actions';
import { RemoteValue } from '../remotevalue.svelte';

const MAX_SHOWN = 500;

/** The visited pages that contain the searched words, the latest first. */
export class BrowsingHistory extends RemoteValue<Visit[]> {
  #words = '';

  constructor(actions: Actions) {
    super(actions, () => actions.backend.visits(this.#words, false, MAX_SHOWN));
  }

  get list(): Visit[] {
    return this.value ?? [];
  }

  search(words: string): Promise<void> {
    this.#words = words;
    return this.read();
  }

  async remove(url: string): Promise<void> {
    await this.#delete({ url });
  }

  /** Deletes the visits of a host and its subdomains, their cookies and their storage. */
  async forgetSite(site: string): Promise<boolean> {
    return this.#delete({ site });
  }

  async clear(): Promise<boolean> {
    return this.#delete({});
  }

  async #delete(what: { url?: string; site?: string }): Promise<boolean> {
    const done = await this.actions.attempt(this.actions.backend.deleteVisits(what));
    await this.read();
    return done;
  }
}
