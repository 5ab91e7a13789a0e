import type { App } from '../../domain/app.svelte';
import type { Command } from '../../domain/commands/commands.svelte';
import { THEMES } from '../../domain/settings/settings.svelte';
import { t } from '../../shared/i18n';
import { panelProviding } from '../panels/provides';
import { openSettingsAt } from '../panels/settingslink';
import { focusSurface, stepRegion } from './regions';

interface Dialogs {
  folder: () => void;
  palette: () => void;
  number: () => void;
}

/** Returns the commands of the window. Panels add their own commands while they are shown. */
export function windowCommands(app: App, dialogs: Dialogs): Command[] {
  const { browser, layout, panels, conversations, approvals, settings, surface, recipes } = app;
  const panelKeys: Command[] = Array.from({ length: 9 }, (_, i) => ({
    id: `panel.${i + 1}`,
    title: t('command.panel', { n: i + 1 }),
    keys: [`Ctrl+${i + 1}`, `Alt+Shift+${i + 1}`],
    hidden: true,
    run: () => panels.openAt(i),
  }));
  const focusComposer = () => {
    layout.open = true;
    requestAnimationFrame(() => focusSurface('assistant'));
  };
  const stop = () => {
    void conversations.stop();
    if (browser.driver || conversations.running) void browser.takeOver(true);
  };
  return [
    {
      id: 'palette',
      title: t('command.palette'),
      icon: 'search',
      keys: ['Ctrl+K'],
      hidden: true,
      run: dialogs.palette,
    },
    { id: 'bar', title: t('command.bar'), icon: 'panel-right', keys: ['Ctrl+B'], run: () => void toggleBar(app) },
    {
      id: 'assistant',
      title: t('command.assistant'),
      icon: 'panel-right',
      keys: ['Ctrl+J'],
      run: () => layout.toggle(),
    },
    {
      id: 'reading',
      title: t('command.reading'),
      icon: 'maximize-2',
      keys: ['Ctrl+Shift+J'],
      fallback: ['Alt+Shift+J'],
      run: () => layout.toggleReading(),
    },
    {
      id: 'record',
      title: t('recipes.record'),
      icon: 'circle-dot',
      words: 'record|record recipe|record what i do',
      run: () => {
        void panels.open(panelProviding('page'));
        recipes.toggleRecording();
      },
    },
    { id: 'composer', title: t('command.composer'), icon: 'pencil', run: focusComposer },
    {
      id: 'conversation.new',
      title: t('command.new'),
      words: t('command.new.words'),
      icon: 'plus',
      keys: ['Ctrl+N'],
      fallback: ['Alt+Shift+N'],
      run: () => {
        conversations.startNew();
        focusComposer();
      },
    },
    {
      id: 'stop',
      title: t('command.stop'),
      icon: 'square',
      keys: ['Ctrl+.'],
      disabledReason: () => (conversations.running || browser.driver ? '' : t('command.stop.off')),
      run: stop,
    },
    {
      id: 'give',
      title: t('command.giveBack'),
      icon: 'hand',
      keys: ['Ctrl+Shift+.'],
      run: () => void browser.takeOver(false),
    },
    { id: 'number', title: t('command.number'), icon: 'scan-text', keys: ['Ctrl+G'], run: dialogs.number },
    {
      id: 'annotate',
      title: t('command.annotate'),
      icon: 'scan-text',
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
      icon: 'settings-2',
      keys: ['Ctrl+,'],
      run: () => openSettingsAt(settings.section, settings, panels),
    },
    {
      id: 'folder',
      title: t('folder.open'),
      words: t('folder.open.words'),
      icon: 'folder',
      keys: ['Ctrl+O'],
      fallback: ['Alt+Shift+O'],
      run: dialogs.folder,
    },
    { id: 'theme', title: t('command.theme'), icon: 'settings-2', run: () => settings.nextTheme() },
    ...THEMES.map((theme): Command => ({
      id: `theme.${theme}`,
      title: t(`command.theme.${theme}`),
      words: t(`command.theme.${theme}.words`),
      icon: 'settings-2',
      run: () => void settings.set('theme', theme),
    })),
    { id: 'region', title: t('command.region'), keys: ['F6'], hidden: true, run: () => stepRegion(1) },
    { id: 'region.back', title: t('command.region.back'), keys: ['Shift+F6'], hidden: true, run: () => stepRegion(-1) },
    ...panelKeys,
  ];
}

const EXPAND = 'expand_activity_bar';
const COLLAPSE = 'collapse_activity_bar';

/** Expands or collapses the activity bar with the tool that the assistant would use. */
async function toggleBar(app: Pick<App, 'actions' | 'store'>): Promise<void> {
  await app.actions.run(app.store.state.activityBar.expanded ? COLLAPSE : EXPAND, {});
}
