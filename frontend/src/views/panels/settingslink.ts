import type { Panels } from '../../domain/panels/panels.svelte';
import type { Settings } from '../../domain/settings/settings.svelte';
import { panelProviding } from './provides';

/** Opens the Settings panel at a section. */
export function openSettingsAt(section: string, settings: Settings, panels: Panels): void {
  settings.requestedSection = section;
  void panels.open(panelProviding('settings'));
}
