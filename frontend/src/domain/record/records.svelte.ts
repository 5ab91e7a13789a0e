import type { AuditCheck, CallRow, CreatedTool, Grant, RuleDraft } from '../../shared/api/types';
import { failureText, type Actions } from '../actions';

/** What lasts longer than a call: grants, tools that were made, and the audit log. */
export class Records {
  grants = $state<Grant[]>([]);
  /** Why the grants could not be read, "" when they were. */
  grantsFailed = $state('');
  grantsLoaded = $state(false);

  created = $state<CreatedTool[]>([]);
  createdFailed = $state('');
  createdLoaded = $state(false);

  calls = $state<CallRow[]>([]);
  callsFailed = $state('');
  callsLoaded = $state(false);
  /** Where the next page begins; 0 when there is none. */
  more = $state(0);
  busy = $state(false);
  check = $state<AuditCheck | null>(null);
  checking = $state(false);
  /** The call that somebody wants to see in the audit log, "" for none. */
  wanted = $state('');
  #asked = 0;
  /** Rise with every question and every answer, so that an answer that is overtaken is dropped. */
  #grantsTurn = 0;
  #createdTurn = 0;

  constructor(private readonly actions: Actions) {}

  async readGrants(): Promise<void> {
    const mine = ++this.#grantsTurn;
    try {
      const grants = await this.actions.backend.grants();
      if (mine === this.#grantsTurn) this.#hold(grants);
    } catch (error) {
      if (mine === this.#grantsTurn) this.grantsFailed = failureText(error);
    }
  }

  #hold(grants: Grant[]): void {
    this.#grantsTurn++;
    this.grants = grants;
    this.grantsFailed = '';
    this.grantsLoaded = true;
  }

  /** Makes a rule that forbids; false when it was not made. */
  async forbid(rule: RuleDraft): Promise<boolean> {
    return this.actions.ask(this.actions.backend.forbid(rule).then((all) => this.#hold(all)));
  }

  /** Takes grants back, one after the other; stops at the first that could not be. */
  async revoke(ids: string[]): Promise<boolean> {
    for (const id of ids) {
      const done = await this.actions.ask(this.actions.backend.revoke(id).then((left) => this.#hold(left)));
      if (!done) {
        await this.readGrants();
        return false;
      }
    }
    return true;
  }

  async readCreated(): Promise<void> {
    const mine = ++this.#createdTurn;
    try {
      const created = await this.actions.backend.created();
      if (mine === this.#createdTurn) this.#keep(created);
    } catch (error) {
      if (mine === this.#createdTurn) this.createdFailed = failureText(error);
    }
  }

  #keep(created: CreatedTool[]): void {
    this.#createdTurn++;
    this.created = created;
    this.createdFailed = '';
    this.createdLoaded = true;
  }

  /** Lets a tool be called that slept; the version is the one that was shown. */
  async wake(tool: CreatedTool): Promise<boolean> {
    return this.#changed(this.actions.backend.wake(tool.name, tool.version));
  }

  async deleteTool(tool: CreatedTool): Promise<boolean> {
    return this.#changed(this.actions.backend.deleteTool(tool.name));
  }

  async #changed(request: Promise<CreatedTool[]>): Promise<boolean> {
    const done = await this.actions.ask(request.then((left) => this.#keep(left)));
    if (!done) await this.readCreated();
    return done;
  }

  /** Reads the newest calls that hold the words; an answer that is overtaken is dropped. */
  async readCalls(words: string): Promise<void> {
    await this.#page(0, words);
  }

  async readMore(words: string): Promise<void> {
    if (this.more && !this.busy) await this.#page(this.more, words);
  }

  async #page(before: number, words: string): Promise<void> {
    const mine = ++this.#asked;
    this.busy = true;
    try {
      const page = await this.actions.backend.audit(before, words);
      if (mine !== this.#asked) return;
      this.calls = before ? [...this.calls, ...page.calls] : page.calls;
      this.more = page.before;
      this.callsFailed = '';
      this.callsLoaded = true;
    } catch (error) {
      if (mine === this.#asked) this.callsFailed = failureText(error);
    } finally {
      if (mine === this.#asked) this.busy = false;
    }
  }

  async verify(): Promise<void> {
    this.checking = true;
    await this.actions.ask(this.actions.backend.verifyAudit().then((check) => (this.check = check)));
    this.checking = false;
  }
}
