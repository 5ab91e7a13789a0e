import type { IconName } from '../../../shared/ui/icons';

/** The sections of the Settings panel, in order. */
export const SECTIONS = [
  ['general', 'settings-2'],
  ['browser', 'globe'],
  ['keyboard', 'hash'],
  ['instructions', 'file-text'],
  ['models', 'cpu'],
  ['limits', 'shield'],
  ['costs', 'activity'],
  ['grants', 'hand'],
  ['secrets', 'key'],
  ['programs', 'plug'],
  ['created', 'star'],
  ['backups', 'history'],
  ['problems', 'triangle-alert'],
  ['audit', 'list'],
  ['all', 'text-cursor-input'],
] as const satisfies readonly (readonly [id: string, icon: IconName])[];
