/** What is said when the assistant acts on the page of a panel. */
export const surface = {
  'surface.refused': 'Only you can do this; the assistant pressed it',
  'surface.noframe': 'the page in the panel’s frame does not answer',
} as const;
