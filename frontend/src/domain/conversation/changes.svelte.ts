import { type ChangedFile, undoPath } from '../../shared/api/types';
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
  /** How many files the last undo left as they are; 0 when it took all back or none was made. */
  left = $state(0);
  #asked = 0;

  constructor(
    private readonly turn: string,
    private readonly store: Store,
    private readonly actions: Actions,
    private readonly toasts: Toasts,
  ) {}

  /** What calls of the turn told they changed: paths, and calls of panels; an undo is none of the turn's own. */
  get told(): string[] {
    const paths = Object.values(this.store.state.calls)
      .filter((call) => call.turn === this.turn && call.tool !== 'undo')
      .flatMap((call) => (call.undoable ? [...call.changed, undoPath(call.id)] : call.changed));
    return [...new Set(paths)];
  }

  /**
   * How many calls of the turn ended before they could tell what they changed: with Sextant, where
   * the next start found it, or as commands that were stopped or failed.
   */
  get untold(): number {
    return Object.values(this.store.state.calls).filter(
      (call) =>
        call.turn === this.turn &&
        (call.status === 'interrupted' ||
          (call.tool === 'bash' && (call.status === 'stopped' || call.status === 'failed'))),
    ).length;
  }

  /** Grows with every change of a file by any call, so that what is shown is read again. */
  get revision(): number {
    return Object.values(this.store.state.calls).reduce((n, call) => n + call.changed.length, this.untold);
  }

  get ready(): number {
    return this.files?.filter((file) => file.state === 'ready').length ?? 0;
  }

  get undone(): boolean {
    return Boolean(this.files?.length) && this.files!.every((file) => file.state === 'undone');
  }

  async load(): Promise<ChangedFile[] | null> {
    // An answer that comes after a newer question tells how it was before.
    const asked = ++this.#asked;
    try {
      const files = await this.actions.backend.changes(this.turn);
      if (asked === this.#asked) {
        this.files = files;
        this.failed = '';
      }
      return files;
    } catch (error) {
      if (asked === this.#asked) this.failed = failureText(error);
      return null;
    }
  }

  /** Takes back what can be; what cannot stays and says why. */
  async undo(): Promise<void> {
    this.busy = true;
    this.left = 0;
    const done = await this.actions.ask(
      this.actions.backend.undoChanges(this.turn).then((result) => {
        if (!result.success) this.toasts.error(plainError('undo', result.error ?? ''), result.suggestion);
      }),
    );
    const files = done ? await this.load() : null;
    this.left = files?.filter((file) => file.state === 'conflict').length ?? 0;
    this.busy = false;
  }
}
