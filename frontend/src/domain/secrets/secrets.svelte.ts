import type { SecretDraft, SecretInfo, SecretList } from '../../shared/api/types';
import { failureText, type Actions } from '../actions';

/** The person's secrets without their values, which are sent once and never read back. */
export class Secrets {
  list = $state<SecretInfo[]>([]);
  where = $state<SecretList['where'] | null>(null);
  failed = $state('');
  loaded = $state(false);

  constructor(private readonly actions: Actions) {}

  async read(): Promise<void> {
    try {
      this.#take(await this.actions.backend.secrets());
    } catch (error) {
      this.failed = failureText(error);
    }
  }

  /** Saves or replaces a secret; returns the error, "" on success. */
  async put(name: string, draft: SecretDraft): Promise<string> {
    try {
      this.#take(await this.actions.backend.putSecret(name, draft));
      return '';
    } catch (error) {
      return failureText(error);
    }
  }

  async remove(name: string): Promise<boolean> {
    const done = await this.actions.ask(this.actions.backend.deleteSecret(name).then((left) => this.#take(left)));
    if (!done) await this.read();
    return done;
  }

  #take(list: SecretList): void {
    this.list = list.secrets;
    this.where = list.where;
    this.failed = '';
    this.loaded = true;
  }
}
