import type { App } from '../../../domain/app.svelte';
import { plainError } from '../../../domain/conversation/card';
import { PageError } from '../../../domain/panels/pagehost';
import type { PageLink } from '../../../shared/api/types';
import { environmentTool } from '../../../shared/api/navigation';
import { panelProviding } from '../provides';

/**
 * Opens an address that a page asked to open and the person agreed to: in the browser or, for mailto, in the mail
 * program. It still counts as a request of the page, so addresses of private hosts are refused. Rejects if it failed.
 */
export async function openAddress(app: Pick<App, 'actions' | 'panels' | 'toasts'>, link: PageLink): Promise<void> {
  const { backend } = app.actions;
  if (link.url.startsWith('mailto:')) {
    await backend.apps.mail(link.url);
    return;
  }
  await app.panels.open(panelProviding('page'));
  const result = await backend.apps.open(link);
  if (result.success) return;
  app.toasts.error(plainError(environmentTool('navigate'), result.error ?? ''), result.suggestion);
  throw new PageError(-32000, 'The address could not be opened.');
}
