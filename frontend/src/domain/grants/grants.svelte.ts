import type { Grant, RuleDraft } from '../../shared/api/types';
import type { Actions } from '../actions';
import { RemoteValue } from '../remotevalue.svelte';

/** Grants and deny rules. */
export class Grants extends RemoteValue<Grant[]> {
  constructor(actions: Actions) {
    super(actions, () => actions.backend.grants());
  }

  get list(): Grant[] {
    return this.value ?? [];
  }

  /** Creates a deny rule. Returns false when that failed. */
  async forbid(rule: RuleDraft): Promise<boolean> {
    return this.change(this.actions.backend.forbid(rule));
  }

  /** Revokes grants one after the other. At the first failure it stops and returns false. */
  async revoke(ids: string[]): Promise<boolean> {
    for (const id of ids) {
      if (!(await this.change(this.actions.backend.revoke(id)))) return false;
    }
    return true;
  }
}
