import { type ChangedFile, undoPath } from '../../shared/api/types';
import { plainError } from './card';
import { failureText, type Actions } from '../actions';
import type { Store } from '../store/store.svelte';
import type { Toasts } from '../toasts.svelte';

/** The file changes and undoable calls of one turn, and their undo. */
export class TurnChanges {
  /** The changed files and undoable calls with their current state; null before `load`. */
  files = $state<ChangedFile[] | null>(null);
  failed = $state('');
  busy = $state(false);
  /** The number of files that the last undo could not restore. */
  conflicts = $state(0);
  #request = 0;

  constructor(
    private readonly turn: string,
    private readonly store: Store,
    private readonly actions: Actions,
    private readonly toasts: Toasts,
  ) {}

  /** The paths and undoable calls that the turn's calls reported, except those of an undo. */
  get reported(): string[] {
    const paths = Object.values(this.store.state.calls)
      .filter((call) => call.turn === this.turn && call.tool !== 'undo')
      .flatMap((call) => (call.undoable ? [...call.changed, undoPath(call.id)] : call.changed));
    return [...new Set(paths)];
  }

  /** The number of calls that ended without a report: interrupted calls, and stopped or failed commands. */
  get unreported(): number {
    return Object.values(this.store.state.calls).filter(
      (call) =>
        call.turn === this.turn &&
        (call.status === 'interrupted' ||
          (call.tool === 'bash' && (call.status === 'stopped' || call.status === 'failed'))),
    ).length;
  }

  /** Increases with every reported change, so that the files are read again. */
  get revision(): number {
    return Object.values(this.store.state.calls).reduce((n, call) => n + call.changed.length, this.unreported);
  }

  get ready(): number {
    return this.files?.filter((file) => file.state === 'ready').length ?? 0;
  }

  get undone(): boolean {
    return Boolean(this.files?.length) && this.files!.every((file) => file.state === 'undone');
  }

  async load(): Promise<ChangedFile[] | null> {
    // An answer to an earlier request is outdated.
    const request = ++this.#request;
    try {
      const files = await this.actions.backend.changes(this.turn);
      if (request === this.#request) {
        this.files = files;
        this.failed = '';
      }
      return files;
    } catch (error) {
      if (request === this.#request) this.failed = failureText(error);
      return null;
    }
  }

  /** Undoes the changes. A file that cannot be restored is left as it is, and its entry in `files` says why. */
  async undo(): Promise<void> {
    this.busy = true;
    this.conflicts = 0;
    const done = await this.actions.attempt(
      this.actions.backend.undoChanges(this.turn).then((result) => {
        if (!result.success) this.toasts.error(plainError('undo', result.error ?? ''), result.suggestion);
      }),
    );
    const files = done ? await this.load() : null;
    this.conflicts = files?.filter((file) => file.state === 'conflict').length ?? 0;
    this.busy = false;
  }
}
