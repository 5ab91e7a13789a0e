/** Messages of a panel's settings. */
export const panelSettings = {
  'panelSettings.title': 'Settings',
  'panelSettings.save': 'Save',
  'panelSettings.reset': 'Restore defaults',
  'panelSettings.hidden': 'Saved. The value is not shown.',
  'panelSettings.unset': 'not set',
  'panelSettings.saved': 'Saved. The next call uses it.',
} as const;
