/** Messages for actions of the assistant on a panel's page. */
export const surface = {
  'surface.refused': 'Only you can do this; the assistant pressed it',
  'surface.noframe': 'the page in the panel’s frame does not answer',
} as const;
