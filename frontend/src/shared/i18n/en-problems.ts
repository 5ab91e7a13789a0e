/** What is wrong with panels' files. */
export const problems = {
  'settings.problems': 'Panels’ problems',
  'problems.means': 'What is wrong with the files of panels, and a piece that would be right there.',
  'problems.none': 'No panel has a problem.',
  'problems.kept': 'The last good version keeps running.',
  'problems.instead': 'Expected {expected}; found {found}.',
  'problems.right': 'Right would be',
  'problems.copy': 'Copy the right piece',
  'problems.open': 'Open',
} as const;
