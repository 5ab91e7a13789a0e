import { BackendError } from '../../shared/api/client';
import type { Answer, Approval } from '../../shared/api/types';
import { sourceLabel } from '../../shared/format/address';
import { t } from '../../shared/i18n';
import { failureText, type Actions } from '../actions';
import type { Store } from '../store/store.svelte';
import type { Toasts } from '../toasts.svelte';

/** A question accepts keys only after this time, so that nobody answers it unread. */
export const KEY_DELAY_MS = 500;

/** The pending approvals, oldest first, and the shown one. */
export class Approvals {
  #chosen = $state('');
  /** The question whose answer is being sent. */
  sending = $state('');
  /** The question whose dialog with all answers is open. */
  dialog = $state('');

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

  get place(): number {
    return Math.max(
      0,
      this.list.findIndex((approval) => approval.id === this.current?.id),
    );
  }

  /** Shows another question, wrapping around. */
  step(by: number): void {
    const list = this.list;
    this.#chosen = list[(this.place + by + list.length) % list.length]?.id ?? '';
  }

  ofCall(call: string): Approval | undefined {
    return this.store.state.approvals.find((approval) => approval.call === call || approval.within === call);
  }

  /** Whether the reason of the question is text from outside. */
  fromOutside(approval: Approval): boolean {
    const read = this.store.state.transcripts[approval.conversation ?? '']?.outside ?? [];
    return (
      /\boutside\b|\bread (text|from)\b/i.test(approval.why) || read.some((s) => approval.why.includes(sourceLabel(s)))
    );
  }

  async answer(approval: Approval, answer: Answer, reason = '', filled?: Record<string, unknown>): Promise<void> {
    if (this.sending === approval.id) return;
    this.sending = approval.id;
    try {
      await this.actions.backend.answer(approval.id, answer, reason, approval.hash, filled);
      this.dialog = '';
    } catch (error) {
      const gone = error instanceof BackendError && (error.status === 409 || error.status === 404);
      this.toasts.error(gone ? t('approval.gone') : failureText(error));
      if (gone) this.dialog = '';
    } finally {
      this.sending = '';
    }
  }
}
