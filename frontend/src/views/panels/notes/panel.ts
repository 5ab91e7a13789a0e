/** What this panel provides to links: the notes. */
export const provides = 'notes';
