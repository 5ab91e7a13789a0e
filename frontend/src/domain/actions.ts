import type { Backend } from '../shared/api/backend';
import type { Json, Result } from '../shared/api/types';
import { BackendError } from '../shared/api/client';
import { plainError } from './conversation/card';
import { t } from '../shared/i18n';
import type { Store } from './store/store.svelte';
import type { Toasts } from './toasts.svelte';

/** Returns the message that a person reads when a request failed. */
export function failureText(error: unknown): string {
  if (error instanceof BackendError) {
    return error.status === 0 ? t('failure.offline') : t('failure.request', { reason: error.detail || error.title });
  }
  return t('failure.request', { reason: error instanceof Error ? error.message : String(error) });
}

/** Runs tools and other requests. A failed request is shown as a toast; no method throws. */
export class Actions {
  constructor(
    readonly backend: Backend,
    private readonly store: Store,
    private readonly toasts: Toasts,
  ) {}

  /** Runs a tool. Returns null when the request failed. A result that reports a failure is shown unless `quiet`. */
  async run(tool: string, args: Json, quiet = false, panel = this.store.state.activePanel): Promise<Result | null> {
    try {
      const result = await this.backend.execute(tool, args, panel);
      if (!result.success && !quiet) this.showFailure(tool, result);
      return result;
    } catch (error) {
      this.toasts.error(failureText(error));
      return null;
    }
  }

  showFailure(tool: string, result: Result): void {
    this.toasts.error(plainError(tool, result.error ?? ''), result.suggestion);
  }

  /** Calls a tool as a panel. Returns null when the request failed. A result that reports a failure is not shown. */
  async asPanel(panel: string, tool: string, args: Json): Promise<Result | null> {
    try {
      return await this.backend.callPanel(panel, tool, args);
    } catch (error) {
      this.toasts.error(failureText(error));
      return null;
    }
  }

  /** Waits for a request. A failure is shown, and false is returned. */
  async attempt(request: Promise<unknown>): Promise<boolean> {
    try {
      await request;
      return true;
    } catch (error) {
      this.toasts.error(failureText(error));
      return false;
    }
  }

  /** Copies text to the clipboard and says so. */
  async copy(text: string): Promise<void> {
    if (await this.attempt(navigator.clipboard.writeText(text))) this.toasts.ok(t('action.copied'));
  }
}
