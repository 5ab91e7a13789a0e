import type { Panels } from '../../domain/panels/panels.svelte';
import type { Settings } from '../../domain/settings/settings.svelte';
import { panelProviding } from './provides';

/** Opens the Settings panel at a section, the one with all settings with the search filled in. */
export function openSettingsAt(section: string, settings: Settings, panels: Panels, search = ''): void {
  settings.requestedSection = section;
  settings.requestedSearch = search;
  void panels.open(panelProviding('settings'));
}
