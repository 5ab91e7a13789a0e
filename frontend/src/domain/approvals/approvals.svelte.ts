import { BackendError } from '../../shared/api/client';
import type { Answer, Approval } from '../../shared/api/types';
import { sourceLabel } from '../../shared/format/address';
import { t } from '../../shared/i18n';
import { failureText, type Actions } from '../actions';
import { shownSources } from '../conversation/branches';
import type { Store } from '../store/store.svelte';
import type { Toasts } from '../toasts.svelte';

/** Keys answer a question only after it has been shown for this long, so that nobody answers it unread. */
export const READ_DELAY_MS = 500;

/** The pending approvals, oldest first, and the one that is shown. */
export class Approvals {
  #chosen = $state('');
  /** The id of the approval whose answer is being sent, "" for none. */
  sending = $state('');
  /** The id of the approval whose dialog with all answers is open, "" for none. */
  dialog = $state('');
  /** The edited texts of file changes, by the id of the approval. */
  readonly edits: Record<string, string> = $state({});

  constructor(
    private readonly store: Store,
    private readonly actions: Actions,
    private readonly toasts: Toasts,
  ) {}

  get list(): Approval[] {
    return [...this.store.state.approvals].sort((a, b) => (a.asked < b.asked ? -1 : 1));
  }

  get current(): Approval | undefined {
    const list = this.list;
    return list.find((approval) => approval.id === this.#chosen) ?? list[0];
  }

  get position(): number {
    return Math.max(
      0,
      this.list.findIndex((approval) => approval.id === this.current?.id),
    );
  }

  /** Shows the approval `by` places later, or earlier if negative. It wraps around at both ends. */
  step(by: number): void {
    const list = this.list;
    this.#chosen = list[(this.position + by + list.length) % list.length]?.id ?? '';
  }

  ofCall(call: string): Approval | undefined {
    return this.store.state.approvals.find((approval) => approval.call === call || approval.within === call);
  }

  /** Returns the text that the person may edit, null if there is none. */
  textOf(approval: Approval): string | null {
    const args = approval.args as Record<string, unknown> | undefined;
    const text = approval.edit ? args?.[approval.edit] : null;
    return typeof text === 'string' ? text : null;
  }

  /** Starts editing the text of an approval, or drops the edit. */
  toggleEdit(approval: Approval): void {
    if (this.edits[approval.id] !== undefined) delete this.edits[approval.id];
    else this.edits[approval.id] = this.textOf(approval) ?? '';
  }

  /** Reports whether the reason of the question names outside text. */
  fromOutside(approval: Approval): boolean {
    const transcript = this.store.state.transcripts[approval.conversation ?? ''];
    const read = transcript ? shownSources(transcript) : [];
    return (
      /\boutside\b|\bread (text|from)\b/i.test(approval.why) || read.some((s) => approval.why.includes(sourceLabel(s)))
    );
  }

  async answer(approval: Approval, answer: Answer, reason = '', filled?: Record<string, unknown>): Promise<void> {
    if (this.sending === approval.id) return;
    this.sending = approval.id;
    const edit = this.edits[approval.id];
    const edited = answer === 'deny' || edit === this.textOf(approval) ? undefined : edit;
    try {
      await this.actions.backend.answer(approval.id, answer, reason, approval.hash, { filled, edited });
      delete this.edits[approval.id];
      this.dialog = '';
    } catch (error) {
      const alreadyAnswered = error instanceof BackendError && (error.status === 409 || error.status === 404);
      this.toasts.error(alreadyAnswered ? t('approval.gone') : failureText(error));
      if (alreadyAnswered) this.dialog = '';
    } finally {
      this.sending = '';
    }
  }
}
