import type { App } from '../../../domain/app.svelte';
import { panelProviding } from '../provides';

/** Opens an address that a page asked for and the person agreed to. */
export async function openAddress(app: App, url: string): Promise<void> {
  if (url.startsWith('mailto:')) {
    await app.actions.backend.apps.mail(url);
    return;
  }
  await app.panels.open(panelProviding('page'));
  await app.browser.navigate(url);
}
