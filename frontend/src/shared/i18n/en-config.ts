/** What a person sets for a panel of their own. */
export const config = {
  'config.title': 'Settings',
  'config.save': 'Save',
  'config.reset': 'Back to the defaults',
  'config.kept': 'Kept. It is not shown.',
  'config.unset': 'not set',
  'config.saved': 'Saved. The next call has it.',
} as const;
