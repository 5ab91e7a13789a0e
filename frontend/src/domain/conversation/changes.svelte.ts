import type { ChangedFile } from '../../shared/api/types';
import { plainError } from './card';
import { failureText, type Actions } from '../actions';
import type { Store } from '../store/store.svelte';
import type { Toasts } from '../toasts.svelte';

/** What one turn did to files, and the way back. */
export class TurnChanges {
  /** The files as they stand now; null before they were asked for. */
  files = $state<ChangedFile[] | null>(null);
  failed = $state('');
  busy = $state(false);

  constructor(
    private readonly turn: string,
    private readonly store: Store,
    private readonly actions: Actions,
    private readonly toasts: Toasts,
  ) {}

  /** Paths that calls of the turn told they changed. */
  get told(): string[] {
    const paths = Object.values(this.store.state.calls)
      .filter((call) => call.turn === this.turn)
      .flatMap((call) => call.changed);
    return [...new Set(paths)];
  }

  /** Grows with every change of a file by any call, so that what is shown is read again. */
  get revision(): number {
    return Object.values(this.store.state.calls).reduce((n, call) => n + call.changed.length, 0);
  }

  get ready(): number {
    return this.files?.filter((file) => file.state === 'ready').length ?? 0;
  }

  get undone(): boolean {
    return Boolean(this.files?.length) && this.files!.every((file) => file.state === 'undone');
  }

  async load(): Promise<void> {
    try {
      this.files = await this.actions.backend.changes(this.turn);
      this.failed = '';
    } catch (error) {
      this.failed = failureText(error);
    }
  }

  /** Takes back what can be; what cannot stays and says why. */
  async undo(): Promise<void> {
    this.busy = true;
    const done = await this.actions.ask(
      this.actions.backend.undoChanges(this.turn).then((result) => {
        if (!result.success) this.toasts.error(plainError('undo', result.error ?? ''), result.suggestion);
      }),
    );
    if (done) await this.load();
    this.busy = false;
  }
}
