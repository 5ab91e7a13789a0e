/** What this panel provides to links: an editor for files. */
export const provides = 'editor';
