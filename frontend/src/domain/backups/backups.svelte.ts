import type { BackupList } from '../../shared/api/types';
import type { Actions } from '../actions';
import { RemoteValue } from '../remotevalue.svelte';

/** The daily backups of conversations and settings. */
export class Backups extends RemoteValue<BackupList> {
  /** Whether a backup is being made. */
  making = $state(false);

  constructor(actions: Actions) {
    super(actions, () => actions.backend.backups());
  }

  async make(): Promise<boolean> {
    this.making = true;
    const done = await this.change(this.actions.backend.makeBackup());
    this.making = false;
    return done;
  }

  /** Makes the next start restore a backup. "" withdraws the request. */
  async restoreAtStart(name: string): Promise<boolean> {
    return this.change(this.actions.backend.requestBackup(name));
  }
}
