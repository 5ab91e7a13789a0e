import type { Link } from '../shared/api/types';
import { addMessages, t } from '../shared/i18n';
import { links } from '../shared/i18n/en-links';
import { BROWSER_PANEL } from './browser/bookmarks.svelte';
import { RECIPES_PANEL } from './recipes/recipes.svelte';
import type { App } from './app.svelte';

addMessages(links);

type Parts = Pick<App, 'store' | 'panels' | 'conversations' | 'recipes' | 'browser' | 'commands' | 'layout' | 'toasts'>;

/** Shows what a sextant:// link names. Anybody can have written the link: it runs nothing. */
export async function showLink(app: Parts, link: Link): Promise<void> {
  // What is shown decides what the assistant acts on. While it works, only the person changes it.
  if (link.kind === 'address' || link.kind === 'message' || !app.conversations.running) await show(app, link);
  else app.toasts.offer(t('link.waits', link), { label: t('link.show'), run: () => void show(app, link) });
}

async function show(app: Parts, { kind, name }: Link): Promise<void> {
  const { store, panels, conversations, recipes, browser, commands, layout, toasts } = app;
  if (kind === 'conversation') {
    if (!store.state.conversations.some((one) => one.id === name)) {
      toasts.error(t('link.conversation.gone'));
      return;
    }
    layout.open = true;
    await conversations.open(name);
  } else if (kind === 'panel') {
    if (panels.list.some((panel) => panel.id === name)) await panels.open(name);
    else toasts.error(t('link.panel.gone', { name }));
  } else if (kind === 'recipe') {
    if (await recipes.show(`/${name}`)) await panels.open(RECIPES_PANEL);
    else toasts.error(t('link.recipe.gone', { name }));
  } else if (kind === 'message') {
    layout.open = true;
    conversations.startNew();
    commands.run('composer');
    // Another window may have put it into the same draft.
    const draft = conversations.draft.trim();
    if (!draft.endsWith(name)) conversations.setDraft([draft, name].filter(Boolean).join('\n\n'));
  } else if (/^https?:/.test(name)) {
    // Only the person's press opens it.
    toasts.offer(t('link.address', { address: new URL(name).href.slice(0, 200) }), {
      label: t('link.open'),
      run: () => void panels.open(BROWSER_PANEL).then(() => browser.openTab(name)),
    });
  }
}
