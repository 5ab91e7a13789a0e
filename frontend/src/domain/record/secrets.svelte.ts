import type { SecretDraft, SecretInfo, SecretList } from '../../shared/api/types';
import { failureText, type Actions } from '../actions';

/** The person's secrets: what may be told of them. A value goes out once and never comes back. */
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

  /** Keeps a secret or replaces the one of that name; says why not, "" when it is kept. */
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

  #take(told: SecretList): void {
    this.list = told.secrets;
    this.where = told.where;
    this.failed = '';
    this.loaded = true;
  }
}
