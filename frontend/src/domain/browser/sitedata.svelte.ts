import type { SiteData } from '../../shared/api/types';
import type { Actions } from '../actions';
import { RemoteValue } from '../remotevalue.svelte';

/** What sites stored in the browser. */
export class StoredSites extends RemoteValue<SiteData[]> {
  constructor(actions: Actions) {
    super(actions, () => actions.backend.storedSites());
  }

  /** Deletes the cookies, the storage and the cache of all sites. */
  async forgetAll(): Promise<boolean> {
    const done = await this.actions.attempt(this.actions.backend.deleteStoredSites());
    await this.read();
    return done;
  }
}
