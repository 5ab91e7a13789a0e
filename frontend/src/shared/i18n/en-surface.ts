/** Messages about actions of the assistant on a panel's page. */
export const surface = {
  'surface.refused': 'Only you can do this, so the assistant’s action was ignored',
  'surface.noframe': 'the page in the panel’s frame is not responding',
} as const;
