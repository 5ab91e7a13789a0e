/** What is said when the assistant acts on the page of a panel. */
export const surface = {
  'surface.refused': 'The assistant pressed this; only you can do it',
  'surface.noframe': 'the page in its frame does not answer',
} as const;
