import type { App } from '../../domain/app.svelte';
import type { Command } from '../../domain/commands/commands.svelte';
import { t } from '../../shared/i18n';
import { panelProviding } from '../panels/provides';
import { focusSurface, stepRegion } from './regions';

interface Doors {
  palette: () => void;
  number: () => void;
}

/** What can be done anywhere in the window. Panels add their own while they are shown. */
export function windowCommands(app: App, doors: Doors): Command[] {
  const { browser, layout, panels, conversations, approvals, settings, surface } = app;
  const places: Command[] = Array.from({ length: 9 }, (_, i) => ({
    id: `panel.${i + 1}`,
    title: t('command.panel', { n: i + 1 }),
    keys: [`Ctrl+${i + 1}`, `Alt+Shift+${i + 1}`],
    hidden: true,
    run: () => panels.openAt(i),
  }));
  const toComposer = () => {
    layout.open = true;
    requestAnimationFrame(() => focusSurface('assistant'));
  };
  const stop = () => {
    void conversations.stop();
    if (browser.driver || conversations.running) void browser.takeOver(true);
  };
  return [
    { id: 'palette', title: t('command.palette'), icon: 'search', keys: ['Ctrl+K'], hidden: true, run: doors.palette },
    { id: 'bar', title: t('command.bar'), icon: 'side', keys: ['Ctrl+B'], run: () => void toggleBar(app) },
    { id: 'assistant', title: t('command.assistant'), icon: 'side', keys: ['Ctrl+J'], run: () => layout.toggle() },
    { id: 'composer', title: t('command.composer'), icon: 'pen', run: toComposer },
    {
      id: 'conversation.new',
      title: t('command.new'),
      icon: 'plus',
      keys: ['Ctrl+N'],
      fallback: ['Alt+Shift+N'],
      run: () => {
        conversations.startNew();
        toComposer();
      },
    },
    {
      id: 'stop',
      title: t('command.stop'),
      icon: 'stop',
      keys: ['Ctrl+.'],
      off: () => (conversations.running || browser.driver ? '' : t('compose.stop')),
      run: stop,
    },
    {
      id: 'give',
      title: t('command.giveBack'),
      icon: 'hand',
      keys: ['Ctrl+Shift+.'],
      run: () => void browser.takeOver(false),
    },
    { id: 'number', title: t('command.number'), icon: 'tag', keys: ['Ctrl+G'], run: doors.number },
    {
      id: 'annotate',
      title: t('command.annotate'),
      icon: 'tag',
      keys: ['Ctrl+Shift+A'],
      run: () =>
        void (panels.activeId === panelProviding('page') ? browser.annotate() : surface.annotate(panels.activeId)),
    },
    {
      id: 'question',
      title: t('command.question'),
      icon: 'hand',
      keys: ['F8'],
      run: () => {
        layout.open = true;
        if (document.activeElement?.closest('[data-surface="question"]')) approvals.step(1);
        requestAnimationFrame(() => document.querySelector<HTMLElement>('[data-surface="question"]')?.focus());
      },
    },
    {
      id: 'settings',
      title: t('command.settings'),
      icon: 'gear',
      keys: ['Ctrl+,'],
      run: () => void panels.open(panelProviding('settings')),
    },
    { id: 'theme', title: t('command.theme'), icon: 'gear', run: () => settings.nextTheme() },
    { id: 'region', title: t('command.region'), keys: ['F6'], hidden: true, run: () => stepRegion(1) },
    { id: 'region.back', title: t('command.region.back'), keys: ['Shift+F6'], hidden: true, run: () => stepRegion(-1) },
    ...places,
  ];
}

const EXPAND = 'expand_activity_bar';
const COLLAPSE = 'collapse_activity_bar';

/** Widens or narrows the activity bar by the same tool an assistant uses. */
export async function toggleBar(app: Pick<App, 'actions' | 'store'>): Promise<void> {
  await app.actions.run(app.store.state.activityBar.expanded ? COLLAPSE : EXPAND, {});
}
