import { t } from '../../shared/i18n';
import { failureText, type Actions } from '../actions';
import type { Toasts } from '../toasts.svelte';

/** Imports the conversations of files. */
export class ConversationImport {
  /** The name of the file that is being imported, "" for none. */
  running = $state('');

  constructor(
    private readonly actions: Actions,
    private readonly toasts: Toasts,
  ) {}

  /** Imports a file and says in a toast what was imported, or why nothing was. One file is imported at a time. */
  async run(file: File): Promise<void> {
    if (this.running) return;
    this.running = file.name;
    try {
      const { conversations, known = 0, left_out } = await this.actions.backend.importConversations(file);
      const texts = [t('import.done', { n: conversations?.length ?? 0 })];
      if (known) texts.push(t('import.known', { n: known }));
      this.toasts.ok(texts.join(' '));
      if (left_out?.length) {
        this.toasts.error(t('import.left_out', { n: left_out.length }), left_out.slice(0, 3).join(' '));
      }
    } catch (error) {
      this.toasts.error(failureText(error));
    } finally {
      this.running = '';
    }
  }
}
