/** Messages about errors in panel files. */
export const problems = {
  'settings.problems': 'Panel problems',
  'problems.means': 'Errors in panel files, and how to fix them.',
  'problems.none': 'No panel has a problem.',
  'problems.lastValid': 'The last valid version keeps running.',
  'problems.instead': 'Expected {expected}, found {found}.',
  'problems.right': 'Suggested fix',
  'problems.copy': 'Copy the fix',
} as const;
