import type { SiteData } from '../../shared/api/types';
import type { Actions } from '../actions';
import { RemoteValue } from '../remotevalue.svelte';

/** What sites stored in the browser. */
export class StoredSites extends RemoteValue<SiteData[]> {
  constructor(actions: Actions) {
    super(actions, () => actions.backend.storedSites());
  }

  /** Deletes the visits, cookies and storage of a site. */
  async forget(host: string): Promise<boolean> {
    const done = await this.actions.attempt(this.actions.backend.deleteVisits({ site: host }));
    await this.read();
    return done;
  }

  async forgetAll(): Promise<boolean> {
    const done = await this.actions.attempt(this.actions.backend.deleteStoredSites());
    await this.read();
    return done;
  }
}
