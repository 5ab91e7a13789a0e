/** This panel shows files to be edited. */
export const provides = 'editor';
