import type { SecretDraft, SecretInfo, SecretList } from '../../shared/api/types';
import { failureText, type Actions } from '../actions';
import { RemoteValue } from '../remotevalue.svelte';

/** The person's secrets, without their values: a value is sent once and never read back. */
export class Secrets extends RemoteValue<SecretList> {
  constructor(actions: Actions) {
    super(actions, () => actions.backend.secrets());
  }

  get list(): SecretInfo[] {
    return this.value?.secrets ?? [];
  }

  /** Saves or replaces a secret. Returns the error, "" on success. */
  async put(name: string, draft: SecretDraft): Promise<string> {
    try {
      this.set(await this.actions.backend.putSecret(name, draft));
      return '';
    } catch (error) {
      return failureText(error);
    }
  }

  async remove(name: string): Promise<boolean> {
    return this.change(this.actions.backend.deleteSecret(name));
  }
}
