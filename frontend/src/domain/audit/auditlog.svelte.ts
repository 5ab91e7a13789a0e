import type { AuditCheck, CallRow } from '../../shared/api/types';
import { failureText, type Actions } from '../actions';

/** The calls of the audit log, read page by page, and the verification of its hash chain. */
export class AuditLog {
  calls = $state<CallRow[]>([]);
  failed = $state('');
  loaded = $state(false);
  /** Where the next page begins; 0 when there are no more calls. */
  more = $state(0);
  busy = $state(false);
  check = $state<AuditCheck | null>(null);
  checking = $state(false);
  /** The id of the call that a link asked to show, "" for none. */
  requestedCall = $state('');
  /** Counts requests, so that an outdated answer is dropped. */
  #request = 0;

  constructor(private readonly actions: Actions) {}

  /** Reads the newest calls that contain all of the words. */
  async read(words: string): Promise<void> {
    await this.#readPage(0, words);
  }

  async readMore(words: string): Promise<void> {
    if (this.more && !this.busy) await this.#readPage(this.more, words);
  }

  async #readPage(before: number, words: string): Promise<void> {
    const request = ++this.#request;
    this.busy = true;
    try {
      const page = await this.actions.backend.audit(before, words);
      if (request !== this.#request) return;
      this.calls = before ? [...this.calls, ...page.calls] : page.calls;
      this.more = page.before;
      this.failed = '';
      this.loaded = true;
    } catch (error) {
      if (request === this.#request) this.failed = failureText(error);
    } finally {
      if (request === this.#request) this.busy = false;
    }
  }

  async verify(): Promise<void> {
    this.checking = true;
    await this.actions.attempt(this.actions.backend.verifyAudit().then((check) => (this.check = check)));
    this.checking = false;
  }
}
